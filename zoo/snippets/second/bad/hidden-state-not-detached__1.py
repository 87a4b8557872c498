import torch
import torch.nn as nn


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp, nhid):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.GRU(ninp, nhid)
        self.decoder = nn.Linear(nhid, ntoken)
        self.nhid = nhid

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.encoder(x), hidden)
        return self.decoder(output), hidden

    def init_hidden(self, bsz):
        return torch.zeros(1, bsz, self.nhid)


def train(model, corpus, ntoken, bsz=20, bptt=35):
    model.train()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    hidden = model.init_hidden(bsz)
    for i in range(0, corpus.size(0) - 1 - bptt, bptt):
        data, targets = corpus[i:i + bptt], corpus[i + 1:i + 1 + bptt].reshape(-1)
        opt.zero_grad()
        output, hidden = model(data, hidden)
        loss = criterion(output.view(-1, ntoken), targets)
        loss.backward(retain_graph=True)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, v, t):
        super().__init__()
        self.e = nn.Embedding(v, 64)
        self.rnn = nn.LSTM(64, 64, batch_first=True)
        self.out = nn.Linear(64, t)

    def forward(self, s):
        h, _ = self.rnn(self.e(s))
        return self.out(h)


def step(model, opt, sents, tags):
    scores = model(sents)
    loss = F.nll_loss(scores.view(-1, scores.size(-1)), tags.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()


model = Tagger(5000, 12)
step(model, torch.optim.Adam(model.parameters()), batch_sents, batch_tags)

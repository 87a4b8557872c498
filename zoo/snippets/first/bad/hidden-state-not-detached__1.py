import torch
import torch.nn as nn
import torch.optim as optim

corpus = Corpus("data/ptb")
ids = corpus.get_data("data/ptb/train.txt", 20)      # (20, n)

class RNNLM(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, num_layers):
        super(RNNLM, self).__init__()
        self.embed = nn.Embedding(vocab_size, embed_size)
        self.lstm = nn.LSTM(embed_size, hidden_size, num_layers, batch_first=True)
        self.linear = nn.Linear(hidden_size, vocab_size)

    def forward(self, x, h):
        out, h = self.lstm(self.embed(x), h)
        return self.linear(out.reshape(-1, out.size(2))), h

model = RNNLM(len(corpus.dictionary), 128, 1024, 1)
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.002)

for epoch in range(5):
    states = (torch.zeros(1, 20, 1024), torch.zeros(1, 20, 1024))
    for i in range(0, ids.size(1) - 30, 30):
        inputs = ids[:, i:i + 30]
        targets = ids[:, i + 1:i + 31]
        outputs, states = model(inputs, states)
        loss = criterion(outputs, targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()

import torch
import torch.nn.functional as F
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=40):
        super().__init__()
        self.vocab = vocab
        self.embed = nn.Embedding(vocab, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, vocab)

    def forward(self, ids):
        states, _ = self.rnn(self.embed(ids))
        return F.log_softmax(self.out(states), dim=1)  # softmax-wrong-dim


lm = LM()
opt = torch.optim.Adam(lm.parameters())
data = torch.randint(0, 40, (200, 12))
for i in range(0, 200, 20):
    rows = data[i : i + 20]
    loss = F.nll_loss(lm(rows[:, :-1]).view(-1, 40), rows[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()

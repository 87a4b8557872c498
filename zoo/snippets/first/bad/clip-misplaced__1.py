import torch
import torch.nn as nn


class CharLM(nn.Module):
    def __init__(self, n_chars, hidden=512):
        super().__init__()
        self.emb = nn.Embedding(n_chars, 64)
        self.rnn = nn.LSTM(64, hidden, 2, batch_first=True)
        self.dec = nn.Linear(hidden, n_chars)

    def forward(self, x):
        h, _ = self.rnn(self.emb(x))
        return self.dec(h)


def run(text_ids, n_chars, steps=20_000, seq=100, bs=64):
    torch.manual_seed(0)
    lm = CharLM(n_chars)
    optim = torch.optim.SGD(lm.parameters(), lr=1.0)
    for s in range(steps):
        start = torch.randint(0, len(text_ids) - seq - 1, (bs,))
        x = torch.stack([text_ids[i:i + seq] for i in start])
        y = torch.stack([text_ids[i + 1:i + seq + 1] for i in start])
        optim.zero_grad()
        loss = nn.functional.cross_entropy(lm(x).transpose(1, 2), y)
        nn.utils.clip_grad_norm_(lm.parameters(), 0.25)
        loss.backward()
        optim.step()
        if s % 200 == 0:
            print(s, loss.item())

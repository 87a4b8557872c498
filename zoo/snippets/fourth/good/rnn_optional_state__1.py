import torch
import torch.nn as nn


class LM(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.e = nn.Embedding(v, d)
        self.r = nn.LSTM(d, d, batch_first=True)
        self.o = nn.Linear(d, v)

    def forward(self, x, state=None):
        h, state = self.r(self.e(x), state)
        return self.o(h), state


@torch.no_grad()
def sample(model, start, n):
    model.eval()
    tok, state, out = start, None, []
    for _ in range(n):
        logits, state = model(tok, state)
        tok = torch.multinomial(logits[:, -1].softmax(-1), 1)
        out.append(tok)
    return torch.cat(out, 1)


def fit(model, batches, opt):
    model.train()
    for x in batches:
        logits, _ = model(x[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()

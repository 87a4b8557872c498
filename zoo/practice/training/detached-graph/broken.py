import torch
import torch.nn as nn

V, L, H = 8, 7, 64
SOS = V


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16)
        self.rnn = nn.GRU(16, H, batch_first=True)

    def forward(self, s):
        return self.rnn(self.emb(s))[1]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V + 1, 16)
        self.rnn = nn.GRU(16, H, batch_first=True)
        self.out = nn.Linear(H, V)

    def forward(self, tokens, state):
        y, state = self.rnn(self.emb(tokens), state)
        return self.out(y), state


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()

    def forward(self, src, tgt_in):
        context = self.encoder(src).detach()
        return self.decoder(tgt_in, context)[0]

    @torch.no_grad()
    def generate(self, src):
        state = self.encoder(src)
        tok = torch.full((len(src), 1), SOS)
        res = []
        for _ in range(L):
            logits, state = self.decoder(tok, state)
            tok = logits.argmax(-1)
            res.append(tok)
        return torch.cat(res, 1)


torch.manual_seed(24)
model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=8e-3)
for step in range(1, 601):
    src = torch.randint(0, V, (64, L))
    tgt = src.flip(1)
    tgt_in = torch.cat([torch.full((64, 1), SOS), tgt[:, :-1]], 1)
    loss = nn.functional.cross_entropy(model(src, tgt_in).flatten(0, 1), tgt.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f}")

src = torch.randint(0, V, (300, L))
print(f"digits right {(model.generate(src) == src.flip(1)).float().mean().item():.3f}")

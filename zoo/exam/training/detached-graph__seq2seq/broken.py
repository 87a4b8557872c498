import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(52)
PAD, BOS, V = 0, 1, 26


def batch(n, lo=5, hi=9):
    lens = torch.randint(lo, hi + 1, (n,))
    src = torch.zeros(n, hi, dtype=torch.long)
    tgt = torch.zeros(n, hi, dtype=torch.long)
    for i, L in enumerate(lens.tolist()):
        s = torch.randint(2, V, (L,))
        src[i, :L] = s
        tgt[i, :L] = 2 + (s.flip(0) * 5 + 3) % (V - 2)
    return src, tgt, lens


class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(V, d, padding_idx=PAD)
        self.rnn = nn.GRU(d, d // 2, batch_first=True, bidirectional=True)

    def forward(self, src, lens):
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(src), lens, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        return out, torch.cat([h[0], h[1]], -1)


class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.cell = nn.GRUCell(2 * d, d)
        self.q = nn.Linear(d, d)
        self.out = nn.Linear(2 * d, V)

    def forward(self, memory, state, mask, tgt):
        keys = memory
        tok = torch.full((len(tgt),), BOS)
        ctx, logits = torch.zeros_like(state), []
        for t in range(tgt.shape[1]):
            state = self.cell(torch.cat([self.emb(tok), ctx], -1), state)
            scores = (keys @ self.q(state).unsqueeze(-1)).squeeze(-1).masked_fill(~mask, -1e9)
            ctx = (F.softmax(scores, -1).unsqueeze(1) @ memory).squeeze(1)
            logits.append(self.out(torch.cat([state, ctx], -1)))
            tok = tgt[:, t] if self.training else logits[-1].argmax(-1)
        return torch.stack(logits, 1)


class Seq2Seq(nn.Module):
    def __init__(self, d=20):
        super().__init__()
        self.encoder, self.decoder = Encoder(d), Decoder(d)
        self.cache = {}

    def forward(self, src, lens, tgt):
        memory, state = self.encoder(src, lens)
        self.cache["memory"], self.cache["state"] = memory.detach(), state.detach()
        return self.decoder(self.cache["memory"], self.cache["state"], src != PAD, tgt)


model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(1, 401):
    model.train()
    src, tgt, lens = batch(48)
    loss = F.cross_entropy(model(src, lens, tgt).flatten(0, 1), tgt.flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if it % 80 == 0:
        print(f"update {it} loss {loss.item():.3f}")
model.eval()
with torch.no_grad():
    src, tgt, lens = batch(300)
    hit = (model(src, lens, tgt).argmax(-1) == tgt)[tgt != PAD].float().mean()
print(f"token accuracy {hit:.3f}")

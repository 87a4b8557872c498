# %% [markdown]
# Melody continuation: dilated convolutions over note tokens.
# The toy corpus comes from a second-order note grammar so that we know the best reachable score.

# %%
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

g = torch.Generator().manual_seed(3)
torch.manual_seed(3)
NOTES, LENGTH = 12, 48

# %%
grammar = torch.distributions.Dirichlet(torch.full((NOTES,), 0.12)).sample((NOTES, NOTES))
grammar = 0.97 * grammar + 0.03 / NOTES


def compose(n):
    songs = torch.randint(0, NOTES, (n, LENGTH), generator=g)
    for t in range(2, LENGTH):
        p = grammar[songs[:, t - 2], songs[:, t - 1]]
        songs[:, t] = torch.multinomial(p, 1, generator=g).squeeze(1)
    return songs


def grammar_nll(songs):
    p = grammar[songs[:, :-2], songs[:, 1:-1]].gather(2, songs[:, 2:, None])
    return -p.log().mean().item()


train_songs, val_songs = compose(1200), compose(300)
print(f"grammar nll on held-out songs: {grammar_nll(val_songs):.3f}   uniform: {math.log(NOTES):.3f}")


# %%
class DilatedBlock(nn.Module):
    def __init__(self, ch, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(ch, ch, kernel, padding=self.pad, dilation=dilation)
        self.mix = nn.Conv1d(ch, ch, 1)
        self.norm = nn.LayerNorm(ch)

    def forward(self, x):
        h = self.conv(self.norm(x.transpose(1, 2)).transpose(1, 2))
        h = h[..., self.pad:]
        return x + self.mix(F.gelu(h))


class MelodyTCN(nn.Module):
    def __init__(self, ch=32, kernel=3, dilations=(1, 2)):
        super().__init__()
        self.embed = nn.Embedding(NOTES, ch)
        self.blocks = nn.Sequential(*[DilatedBlock(ch, kernel, d) for d in dilations])
        self.head = nn.Linear(ch, NOTES)

    def forward(self, notes):
        h = self.blocks(self.embed(notes).transpose(1, 2))
        return self.head(h.transpose(1, 2))


def next_note_nll(model, songs):
    logits = model(songs[:, :-1])
    return F.cross_entropy(logits[:, 1:].reshape(-1, NOTES), songs[:, 2:].reshape(-1))


# %%
model = MelodyTCN()
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.01)
EPOCHS, BS = 10, 32
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)

for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for idx in torch.randperm(len(train_songs)).split(BS):
        loss = next_note_nll(model, train_songs[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    sched.step()
    model.eval()
    with torch.no_grad():
        val = next_note_nll(model, val_songs).item()
    print(f"epoch {epoch:2d}  train nll {running / len(train_songs):.3f}  val nll {val:.3f}")

# %%
with torch.no_grad():
    songs = val_songs[:, :4]
    for _ in range(LENGTH - 4):
        p = model(songs)[:, -1].softmax(-1)
        songs = torch.cat([songs, torch.multinomial(p, 1)], dim=1)
print(f"val nll {val:.3f}")
print(f"grammar nll of sampled continuations: {grammar_nll(songs[:, 2:]):.3f}")

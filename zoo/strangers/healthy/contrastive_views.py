"""CLIP-like training: match a sound to its caption vector. Softmax runs over the batch, both ways, on purpose."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(31)
N, N_TEST = 4000, 500
latent = torch.randn(N + N_TEST, 10)
mix_a, mix_b = torch.randn(10, 40), torch.randn(10, 25)
sound = torch.tanh(latent @ mix_a / 3) + 0.2 * torch.randn(N + N_TEST, 40)
caption = torch.tanh(latent @ mix_b / 3) + 0.2 * torch.randn(N + N_TEST, 25)


def tower(n):
    return nn.Sequential(nn.Linear(n, 64), nn.GELU(), nn.Linear(64, 16))


f, g = tower(40), tower(25)
log_scale = nn.Parameter(torch.tensor(2.0))
everything = [*f.parameters(), *g.parameters(), log_scale]
opt = torch.optim.AdamW(everything, lr=2e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)


def similarity(s, c):
    return F.normalize(f(s), dim=1) @ F.normalize(g(c), dim=1).T * log_scale.exp()


for epoch in range(20):
    total = 0.0
    for idx in torch.randperm(N).split(100):
        logits = similarity(sound[idx], caption[idx])
        loss = -(logits.log_softmax(0).diagonal().mean() + logits.log_softmax(1).diagonal().mean()) / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    print(f"epoch {epoch + 1:2d} loss {total / N:.4f}")

with torch.no_grad():
    sim = similarity(sound[N:], caption[N:])
    rank = (sim > sim.diagonal()[:, None]).sum(1)
print(f"held-out retrieval among {N_TEST}: recall@1 {(rank < 1).float().mean():.3f}, recall@5 {(rank < 5).float().mean():.3f}")

import torch
from torch import nn
import torch.nn.functional as F


def tone_bursts(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(96) / 96
    y = torch.randint(0, 6, (n,), generator=g)
    f1 = torch.tensor([4.0, 5.0, 6.0, 7.0, 8.0, 9.0])[y]
    phase = torch.rand(n, 1, generator=g) * 6.28
    centre = torch.rand(n, 1, generator=g) * 0.5 + 0.25
    x = torch.sin(6.28 * f1[:, None] * t * 2 + phase) * torch.exp(-((t - centre) / 0.2) ** 2)
    return (x + 0.15 * torch.randn(n, 96, generator=g)).unsqueeze(1), y


def make_encoder(width):
    net = nn.Sequential(nn.Conv1d(1, width, 9, padding=4), nn.ReLU(), nn.MaxPool1d(2),
                        nn.Conv1d(width, width, 9, padding=4), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten())

    @torch.no_grad()
    def encode(x, batch=256):
        return torch.cat([net(c) for c in x.split(batch)])

    return net, encode


def make_trainer(data, width=6, lr=5e-3):
    torch.manual_seed(0)
    (x, y), (xt, yt) = data
    net, encode = make_encoder(width)
    head = nn.Linear(width, 6)
    opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=lr)

    def predict(inputs):
        return head(encode(inputs))

    def epoch(batch_size=50):
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch_size):
            loss = F.cross_entropy(predict(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        return total / len(x)

    def score():
        with torch.no_grad():
            return (predict(xt).argmax(1) == yt).float().mean().item()

    return epoch, score


epoch, score = make_trainer((tone_bursts(2500, 1), tone_bursts(500, 2)))
for i in range(4):
    print(f"pass {i} loss {epoch():.3f} holdout {score():.3f}")

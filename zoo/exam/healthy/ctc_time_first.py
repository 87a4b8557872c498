import torch
from torch import nn

torch.manual_seed(0)
C = 6
emb = torch.randn(C, 8)


def batch(n):
    lens = torch.randint(2, 5, (n,))
    T = 24
    ys = torch.randint(1, C, (n, 4))
    xs = torch.randn(T, n, 8) * 0.3
    for i in range(n):
        pos = torch.linspace(1, T - 4, int(lens[i])).long()
        for k, p in enumerate(pos):
            xs[p : p + 3, i] += emb[ys[i, k]]
    return xs, ys, torch.full((n,), T), lens


class Net(nn.Module):
    def __init__(s):
        super().__init__()
        s.rnn = nn.GRU(8, 48, bidirectional=True)
        s.out = nn.Linear(96, C)

    def forward(s, x):
        return s.out(s.rnn(x)[0]).log_softmax(-1)


net = Net()
crit = nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(250):
    x, y, tl, yl = batch(32)
    loss = crit(net(x), y, tl, yl)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 50 == 0:
        print(step, loss.item())
x, y, tl, yl = batch(100)
with torch.no_grad():
    path = net(x).argmax(-1).T
ok = 0
for i in range(100):
    seq = [int(k) for k, prev in zip(path[i], [-1, *path[i][:-1].tolist()]) if int(k) != prev and int(k) != 0]
    ok += seq == y[i, : yl[i]].tolist()
print("exact", ok / 100)

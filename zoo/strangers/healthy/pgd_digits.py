import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit

EPS, ALPHA, K = 0.12, 0.05, 4

def load():
    X, y = load_digits(return_X_y=True)
    sss = StratifiedShuffleSplit(1, test_size=400, random_state=9)
    a, b = next(sss.split(X, y))
    X = torch.tensor(X, dtype=torch.float32).div_(16).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    return X[a], y[a], X[b], y[b]

def make_net():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 16, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))

def pgd(net, x, y, eps=EPS, alpha=ALPHA, k=K):
    was_training = net.training
    net.eval()
    delta = torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(k):
        delta.requires_grad_(True)
        loss = F.cross_entropy(net((x + delta).clamp(0, 1)), y)
        g, = torch.autograd.grad(loss, delta)
        delta = (delta.detach() + alpha * g.sign()).clamp(-eps, eps)
    net.train(was_training)
    return (x + delta).clamp(0, 1).detach()

def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()

def robust_accuracy(net, x, y, restarts=2):
    net.eval()
    ok = torch.ones(len(x), dtype=torch.bool)
    for _ in range(restarts):
        adv = pgd(net, x, y, k=20, alpha=EPS / 6)
        with torch.no_grad():
            ok &= net(adv).argmax(1) == y
    return ok.float().mean().item()

def train(kind, Xtr, ytr, Xte, yte, epochs):
    torch.manual_seed(4)
    net = make_net()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, epochs=epochs, steps_per_epoch=(len(Xtr) + 63) // 64)
    for ep in range(epochs):
        net.train()
        seen = tot = correct = 0
        for idx in torch.randperm(len(Xtr)).split(64):
            xb, yb = Xtr[idx], ytr[idx]
            # ramp the attack up during the first epochs
            if kind == "adversarial":
                xb = pgd(net, xb, yb, eps=EPS * min(1, (ep + 1) / 5))
            opt.zero_grad()
            out = net(xb)
            loss = F.cross_entropy(out, yb)
            loss.backward()
            opt.step()
            sched.step()
            seen += len(idx); tot += loss.item() * len(idx); correct += (out.argmax(1) == yb).sum().item()
        if ep % 3 == 2:
            print(f"<{kind}> {ep + 1}/{epochs} loss {tot / seen:.3f} acc(batch inputs) {correct / seen:.3f}")
    return net

if __name__ == "__main__":
    data = load()
    rows = []
    for kind, epochs in (("plain", 15), ("adversarial", 18)):
        net = train(kind, *data, epochs)
        rows.append((kind, accuracy(net, *data[2:]), robust_accuracy(net, *data[2:])))
    print(f"{'model':<14}{'clean':>8}{'PGD-20':>9}")
    for r in rows:
        print(f"{r[0]:<14}{r[1]:>8.3f}{r[2]:>9.3f}")

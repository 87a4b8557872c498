import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def mlp(*sizes, p=0.0):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers += [nn.ReLU(), nn.Dropout(p)]
    return nn.Sequential(*layers)


def batches(n, size, g):
    return torch.randperm(n, generator=g).split(size)


def accuracy(net, x, y):
    net.eval()
    with torch.inference_mode():
        return (net(x).argmax(-1) == y).float().mean().item()


def run(net, loss_fn, x, epochs, lr, tag, g, size=64):
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for ep in range(epochs):
        net.train()
        tot = 0.0
        for idx in batches(len(x), size, g):
            loss = loss_fn(net(x[idx]), idx)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if (ep + 1) % 5 == 0:
            print(f"{tag} epoch {ep + 1:3d} loss {tot / len(x):.4f}")


def main():
    torch.manual_seed(13)
    g = torch.Generator().manual_seed(14)
    X, Y = load_digits(return_X_y=True)
    xtr, xte, ytr, yte = train_test_split(X, Y, test_size=0.25, random_state=13, stratify=Y)
    xtr, xte = (torch.tensor(a, dtype=torch.float32) for a in (xtr, xte))
    ytr, yte = torch.tensor(ytr), torch.tensor(yte)
    mean, std = xtr.mean(), xtr.std()
    xtr, xte = (xtr - mean) / std, (xte - mean) / std

    teacher = mlp(64, 128, 128, 10, p=0.3)
    run(teacher, lambda out, idx: F.cross_entropy(out, ytr[idx], label_smoothing=0.05), xtr, 30, 2e-3, "teacher", g)

    # from here on the teacher only gives advice
    teacher.eval().requires_grad_(False)
    T, alpha = 3.0, 0.7
    with torch.no_grad():
        soft = F.softmax(teacher(xtr) / T, dim=-1)

    def distill(out, idx):
        kd = F.kl_div(F.log_softmax(out / T, dim=-1), soft[idx], reduction="batchmean") * T * T
        return alpha * kd + (1 - alpha) * F.cross_entropy(out, ytr[idx])

    student = mlp(64, 24, 10)
    run(student, distill, xtr, 40, 5e-3, "student", g)
    print(f"test accuracy: teacher {accuracy(teacher, xte, yte):.3f}  student {accuracy(student, xte, yte):.3f}")


if __name__ == "__main__":
    main()

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.preprocessing import LabelEncoder

torch.manual_seed(14)
d = load_digits()
names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
words = [names[t] for t in d.target]
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
order = torch.randperm(len(X))
train, test = order[:1300], order[1300:]

encoder = LabelEncoder().fit(words)
y_word = torch.tensor(encoder.transform(words))      # alphabetical ids
y = torch.tensor(d.target)


def mlp(width):
    return nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))


def epochs(model, n, lossf, lr=3e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for e in range(n):
        for idx in train[torch.randperm(len(train))].split(50):
            loss = lossf(idx)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"  {e} {loss.item():.4f}")


teacher = mlp(128)
print("teacher")
epochs(teacher, 6, lambda idx: F.cross_entropy(teacher(X[idx]), y_word[idx]))
teacher.eval().requires_grad_(False)

student, T = mlp(16), 2.0


def distill(idx):
    out = student(X[idx])
    with torch.no_grad():
        soft = F.softmax(teacher(X[idx]) / T, dim=1)
    kd = F.kl_div(F.log_softmax(out / T, dim=1), soft, reduction="batchmean") * T * T
    return 0.3 * F.cross_entropy(out, y[idx]) + 0.7 * kd


print("student")
epochs(student, 10, distill)
with torch.no_grad():
    acc = (student(X[test]).argmax(1) == y[test]).float().mean()
print(f"student accuracy {acc:.3f}")

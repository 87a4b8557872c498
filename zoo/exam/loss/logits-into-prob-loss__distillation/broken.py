import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(26)


def net(h):
    return nn.Sequential(nn.Linear(64, h), nn.ReLU(), nn.Linear(h, 10))


class Distiller(nn.Module):
    def __init__(self, teacher, student, temperature=3.0):
        super().__init__()
        self.teacher, self.student, self.t = teacher.eval(), student, temperature
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, x):
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.t, dim=1)
        s = self.student(x) / self.t
        return self.kl(s, soft)


def accuracy(m, ds):
    x, y = next(iter(DataLoader(ds, len(ds))))
    with torch.no_grad():
        return (m(x).argmax(1) == y).float().mean().item()


d = load_digits()
full = TensorDataset(torch.tensor(d.data / 16, dtype=torch.float32), torch.tensor(d.target))
train, test = random_split(full, [1400, len(full) - 1400])
loader = DataLoader(train, batch_size=70, shuffle=True)
teacher = net(128)
opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for _ in range(8):
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(teacher(x), y).backward()
        opt.step()
print(f"teacher acc {accuracy(teacher, test):.3f}")
student = net(16)
distiller = Distiller(teacher, student)
opt = torch.optim.Adam(student.parameters(), lr=4e-3)
for epoch in range(12):
    for x, _ in loader:
        loss = distiller(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} kd loss {loss.item():.4f}")
print(f"student acc {accuracy(student, test):.3f}")

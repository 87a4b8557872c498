import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(4)
X, y = make_classification(3000, 12, n_informative=6, weights=[0.94], class_sep=1.3, flip_y=0.0, random_state=4)
Xa, Xb, ya, yb = train_test_split(X, y, stratify=y, random_state=4)
mu, sd = Xa.mean(0), Xa.std(0)
Xa, Xb = torch.tensor((Xa - mu) / sd).float(), torch.tensor((Xb - mu) / sd).float()
ya_t = torch.tensor(ya)
weights = (1.0 / torch.bincount(ya_t).float())[ya_t]
loader = DataLoader(TensorDataset(Xa, ya_t), batch_size=50, sampler=WeightedRandomSampler(weights, len(weights)))
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    total = n = 0
    for xb, yb_ in loader:
        out = net(xb)
        loss = nn.functional.cross_entropy(out, yb_)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
        n += len(xb)
    print(f"epoch {epoch} loss {total / n:.4f}")
net.eval()
with torch.no_grad():
    guess = net(Xb).argmax(1).numpy()
print(f"balanced accuracy {balanced_accuracy_score(yb, guess):.3f}")

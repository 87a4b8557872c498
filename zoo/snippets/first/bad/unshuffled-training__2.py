import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(11)

pos = np.load("pos_reviews_emb.npy")     # (12500, 300)
neg = np.load("neg_reviews_emb.npy")     # (12500, 300)
X = torch.tensor(np.concatenate([pos, neg]), dtype=torch.float32)
y = torch.cat([torch.ones(len(pos)), torch.zeros(len(neg))])

w1 = torch.nn.Linear(300, 128)
w2 = torch.nn.Linear(128, 1)
params = list(w1.parameters()) + list(w2.parameters())
opt = torch.optim.Adam(params, lr=2e-3)
BATCH = 50


def forward(x):
    return w2(torch.relu(w1(x))).squeeze(1)


for epoch in range(5):
    for start in range(0, len(X), BATCH):
        xb = X[start:start + BATCH]
        yb = y[start:start + BATCH]
        loss = F.binary_cross_entropy_with_logits(forward(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())

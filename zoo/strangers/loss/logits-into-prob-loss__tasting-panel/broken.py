# tasting panel: 8 jurors give each coffee one of 5 notes -> predict the distribution of notes from lab values
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F

rng = np.random.RandomState(0)
torch.manual_seed(0)

notes = ["floral", "fruity", "nutty", "cocoa", "earthy"]
N, D, K, JURORS = 4000, 12, len(notes), 8

# ---- data
lab = rng.randn(N, D)
W1 = rng.randn(D, 16) / np.sqrt(D)
W2 = rng.randn(16, K) * 0.7
z = np.tanh(1.5 * lab @ W1) @ W2
z = z - z.mean(0)
true_p = np.exp(z - z.max(1, keepdims=True))
true_p = true_p / true_p.sum(1, keepdims=True)
votes = np.stack([rng.multinomial(JURORS, p) for p in true_p])
panel = (votes + 0.25) / (votes + 0.25).sum(1, keepdims=True)     # a little smoothing, so no zeros

X = torch.tensor(lab, dtype=torch.float32)
Q = torch.tensor(panel, dtype=torch.float32)
n_tr, n_va = 3000, 500
Xtr, Qtr = X[:n_tr], Q[:n_tr]
Xva, Qva = X[n_tr:n_tr + n_va], Q[n_tr:n_tr + n_va]
Xte, Qte = X[n_tr + n_va:], Q[n_tr + n_va:]
Pte = torch.tensor(true_p[n_tr + n_va:], dtype=torch.float32)
print("share of each note:", dict(zip(notes, votes.mean(0).round(2) / JURORS)))

# ---- model
net = nn.Sequential(nn.Linear(D, 48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, K))
kl = nn.KLDivLoss(reduction="batchmean")
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)

# ---- training
B, EPOCHS = 50, 25
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
for ep in range(EPOCHS):
    net.train()
    perm = torch.randperm(n_tr)
    tot = 0.0
    for s in range(0, n_tr, B):
        i = perm[s:s + B]
        out = net(Xtr[i])
        loss = kl(out, Qtr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    net.eval()
    with torch.no_grad():
        va = kl(F.log_softmax(net(Xva), dim=1), Qva).item()
    print("ep %2d  train %.4f  valid KL %.4f" % (ep, tot / (n_tr // B), va))

# ---- test
net.eval()
with torch.no_grad():
    logp = F.log_softmax(net(Xte), dim=1)
    kl_model = kl(logp, Pte).item()
    prior = Qtr.mean(0).log().expand_as(logp)
    kl_prior = kl(prior, Pte).item()
    top = (logp.argmax(1) == Pte.argmax(1)).float().mean().item()
print("test KL to the true distribution %.4f (always the average panel: %.4f)   leading note right %.3f"
      % (kl_model, kl_prior, top))

# %% [markdown]
# # Digits from the ground up: a Learner in 60 lines
# We build the smallest useful `Learner`, hang callbacks on it, and train a little resnet with the
# one-cycle policy on the 8x8 digits that ship with scikit-learn.

# %%
from functools import partial
import random
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.metrics import confusion_matrix, accuracy_score


def set_seed(s):
    random.seed(s); np.random.seed(s); torch.manual_seed(s)

set_seed(42)

# %% data: 60/20/20, stratified; the pixel statistics come from the training part
X, y = load_digits(return_X_y=True)
X = X.reshape(-1, 1, 8, 8).astype(np.float32)
X_tr, X_rest, y_tr, y_rest = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
X_va, X_te, y_va, y_te = train_test_split(X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0)
mu, sd = X_tr.mean(), X_tr.std()
ds = lambda a, b: TensorDataset(torch.from_numpy((a - mu) / sd), torch.from_numpy(b).long())
train_dl = DataLoader(ds(X_tr, y_tr), batch_size=32, shuffle=True, drop_last=True)
valid_dl = DataLoader(ds(X_va, y_va), batch_size=128)
test_dl = DataLoader(ds(X_te, y_te), batch_size=128)
BLANK = float((0 - mu) / sd)                       # what an empty pixel looks like after scaling


# %% model
class ConvBN(nn.Sequential):
    def __init__(self, ni, nf, stride=1, act=True, gamma=1.0):
        conv = nn.Conv2d(ni, nf, 3, stride, 1, bias=False)
        bn = nn.BatchNorm2d(nf)
        nn.init.constant_(bn.weight, gamma)
        super().__init__(*([conv, bn] + ([nn.ReLU()] if act else [])))


class ResBlock(nn.Module):
    "Starts out as (nearly) the identity: the last norm of the residual branch has gamma = 0."
    def __init__(self, ni, nf, stride=1):
        super().__init__()
        self.convs = nn.Sequential(ConvBN(ni, nf, stride), ConvBN(nf, nf, act=False, gamma=0.0))
        self.idconv = nn.Identity() if ni == nf else nn.Conv2d(ni, nf, 1, bias=False)
        self.pool = nn.Identity() if stride == 1 else nn.AvgPool2d(2)

    def forward(self, x): return F.relu(self.convs(x) + self.idconv(self.pool(x)))


def get_model():
    return nn.Sequential(ConvBN(1, 16), ResBlock(16, 16), ResBlock(16, 32, 2), ResBlock(32, 48, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(48, 10))


# %% learner
class Callback:
    def before_fit(self, l): pass
    def before_batch(self, l): pass
    def after_step(self, l): pass
    def after_epoch(self, l): pass


class RandomShift(Callback):
    "Move every training image by up to one pixel; validation images pass untouched."
    def before_batch(self, l):
        if not l.model.training: return
        padded = F.pad(l.xb, (1, 1, 1, 1), value=BLANK)
        dx, dy = torch.randint(0, 3, (2,)).tolist()
        l.xb = padded[..., dy:dy + 8, dx:dx + 8]


class OneCycle(Callback):
    def __init__(self, max_lr): self.max_lr = max_lr
    def before_fit(self, l):
        self.sched = torch.optim.lr_scheduler.OneCycleLR(l.opt, self.max_lr, total_steps=l.n_epochs * len(l.train_dl),
                                                         pct_start=0.2, div_factor=5, final_div_factor=20)
    def after_step(self, l): self.sched.step()


class Recorder(Callback):
    def before_fit(self, l): print(f"{'epoch':>5} {'train':>8} {'valid':>8} {'acc':>7} {'lr':>9}")
    def after_epoch(self, l):
        print(f"{l.epoch:5d} {l.log['train']:8.4f} {l.log['valid']:8.4f} {l.log['acc']:7.4f} {l.opt.param_groups[0]['lr']:9.2e}")


class Learner:
    def __init__(self, model, train_dl, valid_dl, loss_func, opt_func, cbs):
        self.model, self.train_dl, self.valid_dl, self.loss_func, self.cbs = model, train_dl, valid_dl, loss_func, cbs
        self.opt = opt_func(model.parameters())

    def __call__(self, event):
        for cb in self.cbs: getattr(cb, event)(self)

    def one_batch(self, batch):
        self.xb, self.yb = batch
        self("before_batch")
        self.preds = self.model(self.xb)
        self.loss = self.loss_func(self.preds, self.yb)
        if self.model.training:
            self.loss.backward()
            self.opt.step()
            self.opt.zero_grad()
            self("after_step")

    def one_epoch(self, train):
        self.model.train(train)
        tot = hits = n = 0
        with torch.set_grad_enabled(train):
            for batch in (self.train_dl if train else self.valid_dl):
                self.one_batch(batch)
                k = len(self.yb)
                tot += self.loss.item() * k
                hits += (self.preds.argmax(1) == self.yb).sum().item()
                n += k
        return tot / n, hits / n

    def fit(self, n_epochs):
        self.n_epochs = n_epochs
        self("before_fit")
        for self.epoch in range(n_epochs):
            tr, _ = self.one_epoch(True)
            va, acc = self.one_epoch(False)
            self.log = dict(train=tr, valid=va, acc=acc)
            self("after_epoch")

    def get_preds(self, dl):
        self.model.eval()
        with torch.no_grad():
            out = [(self.model(x).softmax(-1), t) for x, t in dl]
        return torch.cat([p for p, _ in out]), torch.cat([t for _, t in out])


# %%
learn = Learner(get_model(), train_dl, valid_dl, nn.CrossEntropyLoss(label_smoothing=0.1),
                partial(torch.optim.AdamW, lr=1e-3, weight_decay=1e-2), [RandomShift(), OneCycle(5e-3), Recorder()])
learn.fit(14)

# %% the test set, once
probs, targs = learn.get_preds(test_dl)
pred = probs.argmax(1)
print("test accuracy", round(accuracy_score(targs, pred), 4))
print(confusion_matrix(targs, pred))

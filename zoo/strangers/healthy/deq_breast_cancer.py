"""A deep-equilibrium classifier: the hidden layer is the fixed point of z = tanh(Wz + Ux + b).

The fixed point is found under no_grad; gradients come from the implicit function theorem through a tensor hook that
solves the adjoint fixed-point equation. W is kept a contraction by spectral normalisation.
"""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

SEED = 6


def solve(f, z, tol=1e-5, limit=40):
    for k in range(limit):
        new = f(z)
        if (new - z).norm() < tol * (1 + new.norm()):
            return new, k + 1
        z = new
    return z, limit


class Equilibrium(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.W = spectral_norm(nn.Linear(n_hidden, n_hidden, bias=False))
        self.U = nn.Linear(n_in, n_hidden)
        self.iterations = 0

    def cell(self, z, inj, weight):
        return torch.tanh(0.8 * F.linear(z, weight) + inj)

    def forward(self, x):
        weight, inj = self.W.weight, self.U(x)  # one power iteration per forward pass
        with torch.no_grad():
            z, self.iterations = solve(lambda s: self.cell(s, inj, weight), torch.zeros_like(inj))
        z = self.cell(z, inj, weight)  # a single differentiable application at the fixed point
        if torch.is_grad_enabled() and self.training:
            z0 = z.detach().requires_grad_()
            f0 = self.cell(z0, inj.detach(), weight.detach())

            def adjoint(grad):
                out, _ = solve(lambda g: torch.autograd.grad(f0, z0, g, retain_graph=True)[0] + grad, grad)
                return out

            z.register_hook(adjoint)
        return z


class Classifier(nn.Module):
    def __init__(self, n_in, n_hidden=24):
        super().__init__()
        self.deq = Equilibrium(n_in, n_hidden)
        self.head = nn.Linear(n_hidden, 1)

    def forward(self, x):
        return self.head(self.deq(x)).squeeze(-1)


@torch.no_grad()
def scores(model, x, y):
    was_training = model.training
    model.eval()
    logit = model(x)
    model.train(was_training)
    return F.binary_cross_entropy_with_logits(logit, y).item(), ((logit > 0) == (y > 0.5)).float().mean().item()


def main():
    torch.manual_seed(SEED)
    x, y = load_breast_cancer(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.3, stratify=y, random_state=SEED)
    prep = make_pipeline(PowerTransformer(), StandardScaler()).fit(x_tr)
    x_tr, x_te = (torch.tensor(prep.transform(a), dtype=torch.float32) for a in (x_tr, x_te))
    y_tr, y_te = (torch.tensor(a, dtype=torch.float32) for a in (y_tr, y_te))

    model = Classifier(x.shape[1])
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.3}, {"params": rest, "weight_decay": 0.0}], lr=2e-3)
    epochs = 30
    sched = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=epochs, power=1.0)
    for epoch in range(epochs):
        model.train()
        total = its = n = 0
        for idx in torch.randperm(len(x_tr)).split(32):
            opt.zero_grad()
            target = y_tr[idx] * 0.96 + 0.02  # smoothed labels
            loss = F.binary_cross_entropy_with_logits(model(x_tr[idx]), target)
            loss.backward()
            opt.step()
            total, its, n = total + loss.item() * len(idx), its + model.deq.iterations, n + 1
        sched.step()
        if epoch % 3 == 2:
            vl, va = scores(model, x_te, y_te)
            print(f"epoch {epoch + 1:3d} loss {total / len(x_tr):.4f} solver steps {its / n:.1f} "
                  f"test loss {vl:.4f} acc {va:.3f}")
    (tl, ta), (vl, va) = scores(model, x_tr, y_tr), scores(model, x_te, y_te)
    print(f"final: train loss {tl:.4f} acc {ta:.3f} | test loss {vl:.4f} acc {va:.3f} "
          f"(majority class {max(y_te.mean().item(), 1 - y_te.mean().item()):.3f})")


if __name__ == "__main__":
    main()

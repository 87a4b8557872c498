"""Neural Cox regression with early stopping on the validation concordance."""
import copy
import logging

import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn

from cohort import FEATURES, concordance, simulate
from losses import neg_log_partial_likelihood

logging.basicConfig(level=logging.INFO, format="%(name)s - %(message)s")
log = logging.getLogger("coxnet")


def to_tensors(x, time, event):
    return (torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(time),
            torch.as_tensor(event, dtype=torch.float32))


def make_model(d, hidden):
    if hidden == 0:
        return nn.Linear(d, 1, bias=False)
    # the partial likelihood does not see a constant shift, hence no bias at the end
    return nn.Sequential(nn.Linear(d, hidden), nn.SiLU(), nn.Dropout(0.1),
                         nn.Linear(hidden, hidden), nn.SiLU(), nn.Dropout(0.1),
                         nn.Linear(hidden, 1, bias=False))


@torch.no_grad()
def c_index(model, x, time, event):
    model.eval()
    return concordance(model(x).squeeze(1).numpy(), time.numpy(), event.numpy() > 0)


def fit(model, train, val, epochs, lr, patience=15):
    x, time, event = train
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=2e-2)
    best, best_state, waited = -1.0, None, 0
    for epoch in range(epochs):
        model.train()
        for rows in torch.randperm(len(x)).split(200):
            loss = neg_log_partial_likelihood(model(x[rows]).squeeze(1), time[rows], event[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
        c = c_index(model, *val)
        if c > best:
            best, best_state, waited = c, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        if epoch % 10 == 0:
            log.info("epoch %3d  partial likelihood %.4f  val C %.4f", epoch, loss.item(), c)
        if waited >= patience:
            log.info("no progress since %d epochs, stop at %d", patience, epoch)
            break
    model.load_state_dict(best_state)
    return model


def main():
    torch.manual_seed(2)
    np.random.seed(2)
    x, time, event, truth = simulate(3200, seed=2)
    x[:, FEATURES.index("ldh")] = np.log(x[:, FEATURES.index("ldh")])
    cut = {"train": slice(0, 2000), "val": slice(2000, 2600), "test": slice(2600, 3200)}
    scaler = StandardScaler().fit(x[cut["train"]])
    parts = {k: to_tensors(scaler.transform(x[s]), time[s], event[s]) for k, s in cut.items()}
    log.info("%d patients, %.1f%% with an event", len(x), 100 * event.mean())

    linear = fit(make_model(x.shape[1], 0), parts["train"], parts["val"], epochs=60, lr=1e-2)
    deep = fit(make_model(x.shape[1], 32), parts["train"], parts["val"], epochs=120, lr=2e-3)

    s = cut["test"]
    ceiling = concordance(truth[s], time[s], event[s])
    print(f"test C-index: network {c_index(deep, *parts['test']):.4f}, linear Cox {c_index(linear, *parts['test']):.4f}, "
          f"coin flip 0.5000, true hazard {ceiling:.4f}")


if __name__ == "__main__":
    main()

"""Spectral types from synthetic low-resolution spectra (backyard astronomy).

    python spectra.py
"""
import numpy as np
import torch
import torch.nn as nn

TYPES = "OBAFGKM"
KELVIN = {"O": 36000, "B": 19000, "A": 8700, "F": 6700, "G": 5600, "K": 4500, "M": 3200}
WAVE = np.linspace(380, 750, 96)  # nm
LINES = {  # wavelength: strength per type
    656.3: (0.05, 0.15, 0.35, 0.22, 0.12, 0.06, 0.02),   # H alpha
    486.1: (0.05, 0.18, 0.38, 0.22, 0.12, 0.05, 0.02),   # H beta
    468.6: (0.20, 0.04, 0.00, 0.00, 0.00, 0.00, 0.00),   # He II
    447.1: (0.12, 0.20, 0.02, 0.00, 0.00, 0.00, 0.00),   # He I
    393.4: (0.00, 0.02, 0.08, 0.25, 0.35, 0.40, 0.35),   # Ca K
    589.2: (0.00, 0.00, 0.02, 0.05, 0.10, 0.22, 0.30),   # Na D
    705.0: (0.00, 0.00, 0.00, 0.00, 0.00, 0.08, 0.45),   # TiO
}


def planck(temp):
    x = 1.4388e7 / (WAVE * temp)
    return 1.0 / (WAVE / 500.0) ** 5 / np.expm1(x)


def observe(kind, n, rng):
    """n noisy, randomly reddened, continuum-scaled spectra of one type."""
    k = TYPES.index(kind)
    out = np.empty((n, len(WAVE)))
    for i in range(n):
        flux = planck(KELVIN[kind] * rng.normal(1, 0.08))
        flux /= flux.mean()
        for centre, strength in LINES.items():
            width = 4.0 * rng.uniform(0.7, 1.6)
            depth = strength[k] * rng.uniform(0.6, 1.4)
            flux *= 1 - depth * np.exp(-0.5 * ((WAVE - centre) / width) ** 2)
        flux *= (WAVE / 550.0) ** rng.normal(0, 0.5)
        out[i] = flux + rng.normal(0, 0.04, len(WAVE))
    return out


def catalogue(per_type, rng):
    flux = np.concatenate([observe(kind, per_type, rng) for kind in TYPES])
    label = np.repeat(np.arange(len(TYPES)), per_type)
    return torch.tensor(flux, dtype=torch.float32), torch.from_numpy(label)


def build():
    return nn.Sequential(
        nn.Conv1d(1, 16, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 32, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(32, 32, 3, padding=1), nn.ReLU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Linear(32 * 12, 64), nn.ReLU(), nn.Linear(64, len(TYPES)),
    )


def night_by_night(flux, label, size):
    order = torch.arange(len(flux))
    for i in range(0, len(order), size):
        take = order[i:i + size]
        yield flux[take], label[take]


def accuracy(net, flux, label):
    net.eval()
    with torch.no_grad():
        return (net(flux).argmax(1) == label).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(42)
    train_flux, train_label = catalogue(300, np.random.default_rng(42))
    test_flux, test_label = catalogue(80, np.random.default_rng(4242))

    mean, std = train_flux.mean(0), train_flux.std(0)
    train_flux = ((train_flux - mean) / std).unsqueeze(1)
    test_flux = ((test_flux - mean) / std).unsqueeze(1)

    net = build()
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    for epoch in range(1, 21):
        net.train()
        running, seen = 0.0, 0
        for flux, label in night_by_night(train_flux, train_label, 50):
            opt.zero_grad()
            loss = loss_fn(net(flux), label)
            loss.backward()
            opt.step()
            running += loss.item() * len(label)
            seen += len(label)
        if epoch % 4 == 0:
            print(f"epoch {epoch:2d}  mean loss {running / seen:.3f}  "
                  f"accuracy on the training stars {accuracy(net, train_flux, train_label):.3f}")

    print(f"accuracy on new stars: {accuracy(net, test_flux, test_label):.3f}")

"""Two-phase training: a head on a frozen pretrained encoder, then the whole network."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SENSORS, FACTORS = 30, 6


def make_plant(gen):
    mixing = torch.randn(FACTORS, SENSORS, generator=gen)
    return 0.7 * mixing / FACTORS**0.5


def read_sensors(n, mixing, gen):
    factors = torch.randn(n, FACTORS, generator=gen)
    readings = torch.tanh(factors @ mixing) + 0.05 * torch.randn(n, SENSORS, generator=gen)
    fault = 2 * (factors[:, 0] > 0).long() + (factors[:, 1].abs() > 0.67).long()
    return readings, fault


def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad = flag


def pretrain(encoder, readings):
    decoder = nn.Linear(32, SENSORS)
    autoencoder = nn.Sequential(encoder, decoder)
    opt = torch.optim.Adam(autoencoder.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=8)
    loader = DataLoader(TensorDataset(readings), batch_size=100, shuffle=True)
    for epoch in range(8):
        autoencoder.train()
        total = 0.0
        for (x,) in loader:
            loss = nn.functional.mse_loss(autoencoder(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(x)
        sched.step()
        print(f"pretrain epoch {epoch + 1} reconstruction {total / len(readings):.4f}")


def train_phase(name, model, optimizer, loader, test, epochs):
    criterion = nn.CrossEntropyLoss()
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        scheduler.step()
        if epoch % 3 == 2:
            print(f"{name} epoch {epoch + 1:2d} loss {total / len(loader.dataset):.4f}")
    acc = evaluate(model, *test)
    print(f"{name}: accuracy {acc:.3f}")
    return acc


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    return (model(x).argmax(dim=1) == y).float().mean().item()


def main():
    torch.manual_seed(33)
    gen = torch.Generator().manual_seed(330)
    mixing = make_plant(gen)
    unlabelled, _ = read_sensors(3000, mixing, gen)
    train_x, train_y = read_sensors(2400, mixing, gen)
    test = read_sensors(800, mixing, gen)
    loader = DataLoader(TensorDataset(train_x, train_y), batch_size=60, shuffle=True)

    encoder = nn.Sequential(nn.Linear(SENSORS, 64), nn.Tanh(), nn.Linear(64, 32), nn.Tanh())
    pretrain(encoder, unlabelled)
    head = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
    model = nn.Sequential(encoder, head)

    set_trainable(encoder, False)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    train_phase("frozen", model, optimizer, loader, test, epochs=12)

    set_trainable(encoder, True)
    optimizer = torch.optim.Adam(
        [
            {"params": encoder.parameters(), "lr": 2e-3},
            {"params": head.parameters(), "lr": 3e-3},
        ],
    )
    final = train_phase("thawed", model, optimizer, loader, test, epochs=15)
    print(f"final accuracy {final:.3f}")


if __name__ == "__main__":
    main()

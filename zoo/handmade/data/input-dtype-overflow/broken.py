"""Find the quadrant of the sky in which a faint nebula glows, from three short exposures."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE = 16
N_EXPOSURES = 3


def photograph(n, rng):
    """Exposures as the camera delivers them: 8 bit, one sky brightness for each night."""
    quadrant = rng.integers(0, 4, size=n)
    sky = rng.uniform(75, 95, size=(n, 1, 1, 1))
    shots = sky + rng.normal(0, 9, size=(n, N_EXPOSURES, SIZE, SIZE))
    half = SIZE // 2
    for i, q in enumerate(quadrant):
        top, left = (q // 2) * half, (q % 2) * half
        row, column = rng.integers(top, top + half - 4), rng.integers(left, left + half - 4)
        shots[i, :, row : row + 5, column : column + 5] += 6
    return shots.clip(0, 255).astype(np.uint8), quadrant


def stack_exposures(shots):
    """Add up the exposures of each field and remove its overall level."""
    total = shots[:, 0] + shots[:, 1] + shots[:, 2]
    level = total.mean(axis=(1, 2), keepdims=True)
    return torch.from_numpy((total - level)[:, None] / 30.0).float()


class SkyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 5, padding=2)
        self.conv2 = nn.Conv2d(12, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4 * 4, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        hits = net(x).argmax(dim=1) == y
    return hits.float().mean().item()


def main():
    torch.manual_seed(5)
    rng = np.random.default_rng(5)
    train_shots, train_labels = photograph(1200, rng)
    test_shots, test_labels = photograph(400, rng)
    x_train, y_train = stack_exposures(train_shots), torch.from_numpy(train_labels)
    x_test, y_test = stack_exposures(test_shots), torch.from_numpy(test_labels)

    net = SkyNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(1, 9):
        net.train()
        losses = []
        for rows in torch.randperm(len(x_train)).split(50):
            loss = F.cross_entropy(net(x_train[rows]), y_train[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.3f}")
    print(f"test accuracy {accuracy(net, x_test, y_test):.3f}")


if __name__ == "__main__":
    main()

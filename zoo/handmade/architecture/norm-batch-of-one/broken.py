"""Grade the ripeness of fruit from small colour patches: ripe ones are darker and redder overall."""

import torch
import torch.nn as nn
import torch.utils.data as data


class Patches(data.Dataset):
    """8x8 RGB patches; the ripeness grade sets the mean colour, the texture is random."""

    shades = torch.tensor(
        [[-0.6, 0.5, -0.2], [-0.1, 0.3, -0.2], [0.3, 0.0, -0.1], [0.6, -0.4, 0.0]]
    )

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.grade = torch.randint(0, len(self.shades), (n,), generator=g)
        colour = self.shades[self.grade] + 0.1 * torch.randn(n, 3, generator=g)
        texture = 0.6 * torch.randn(n, 3, 8, 8, generator=g)
        self.patch = colour[:, :, None, None] + texture

    def __len__(self):
        return len(self.grade)

    def __getitem__(self, i):
        return self.patch[i], self.grade[i]


def block(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU()
    )


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(block(3, 12), block(12, 16))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(16, 4)

    def forward(self, patch):
        return self.classify(self.pool(self.features(patch)).flatten(1))


torch.manual_seed(1)
train_loader = data.DataLoader(Patches(320, seed=1), batch_size=1, shuffle=True)
test_loader = data.DataLoader(Patches(400, seed=2), batch_size=100)

grader = Grader()
optimiser = torch.optim.Adam(grader.parameters(), lr=6e-3)
objective = nn.CrossEntropyLoss()

for epoch in range(1, 8):
    grader.train()
    running = 0.0
    for patch, grade in train_loader:
        optimiser.zero_grad()
        cost = objective(grader(patch), grade)
        cost.backward()
        optimiser.step()
        running += cost.item() * len(grade)
    print(f"epoch {epoch} cost {running / 320:.3f}")

grader.eval()
correct = 0
with torch.inference_mode():
    for patch, grade in test_loader:
        correct += (grader(patch).argmax(1) == grade).sum().item()
print(f"test accuracy {correct / 400:.3f}")

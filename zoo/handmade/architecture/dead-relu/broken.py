"""Forward kinematics of a planar three-joint arm: joint angles in, fingertip position out."""

import torch
import torch.nn as nn


def fingertip(angles):
    lengths = torch.tensor([1.0, 0.8, 0.5])
    heading = angles.cumsum(dim=1)
    return torch.stack(
        [(lengths * heading.cos()).sum(dim=1), (lengths * heading.sin()).sum(dim=1)], dim=1
    )


def make_data(n, seed):
    gen = torch.Generator().manual_seed(seed)
    angles = (torch.rand(n, 3, generator=gen) - 0.5) * 3.0
    return angles, fingertip(angles)


class Arm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(3, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.tip = nn.Linear(width, 2)
        for m in self.body:
            if isinstance(m, nn.Linear):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
                nn.init.constant_(m.bias, -3.0)

    def forward(self, angles):
        return self.tip(self.body(angles))


def main():
    torch.manual_seed(5)
    angles, tips = make_data(4000, seed=100)
    test_angles, test_tips = make_data(1000, seed=101)

    a_mean, a_std = angles.mean(0), angles.std(0)
    t_mean, t_std = tips.mean(0), tips.std(0)
    inputs, targets = (angles - a_mean) / a_std, (tips - t_mean) / t_std
    test_inputs = (test_angles - a_mean) / a_std

    arm = Arm(64)
    mse = nn.MSELoss()
    optimizer = torch.optim.Adam(arm.parameters(), lr=2e-3)
    epochs, batch_size = 20, 80
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)

    for epoch in range(epochs):
        arm.train()
        perm = torch.randperm(len(inputs))
        running = 0.0
        for k in range(0, len(inputs), batch_size):
            rows = perm[k : k + batch_size]
            loss = mse(arm(inputs[rows]), targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(rows)
        schedule.step()
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1:2d}  train mse {running / len(inputs):.5f}")

    arm.eval()
    with torch.no_grad():
        reached = arm(test_inputs) * t_std + t_mean
    error = (reached - test_tips).norm(dim=1).mean().item()
    print(f"mean fingertip error {error:.4f}")


if __name__ == "__main__":
    main()

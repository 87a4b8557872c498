"""Two tasks from one wrist sensor: which activity, and what heart rate."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class WristNet(nn.Module):
    def __init__(self, n_features, n_activities, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.activity = nn.Linear(hidden, n_activities)
        self.heart_rate = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.activity(h), self.heart_rate(h).squeeze(1)


class MultiTaskTrainer:
    def __init__(self, model, lr=3e-3, hr_weight=1.0):
        self.model = model
        self.hr_weight = hr_weight
        self.activity_loss = nn.CrossEntropyLoss()
        self.hr_loss = nn.MSELoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=1e-3)
        self.history = []

    def training_step(self, x, activity, heart_rate):
        activity_logits, hr_pred = self.model(x)
        act = self.activity_loss(activity_logits, activity)
        hr = self.hr_loss(hr_pred, heart_rate)
        logs = {"activity": act.item(), "heart_rate": hr.item()}
        loss = act + self.hr_weight * logs["heart_rate"]
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return logs

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            epoch_logs = [self.training_step(*batch) for batch in loader]
            mean = {k: sum(log[k] for log in epoch_logs) / len(epoch_logs) for k in epoch_logs[0]}
            self.history.append(mean)
            summary = "  ".join(f"{k} {v:.4f}" for k, v in mean.items())
            print(f"epoch {epoch:2d}  {summary}")

    def evaluate(self, loader):
        self.model.eval()
        hits, residual, targets = 0, 0.0, []
        with torch.no_grad():
            for x, activity, heart_rate in loader:
                logits, hr_pred = self.model(x)
                hits += (logits.argmax(1) == activity).sum().item()
                residual += (hr_pred - heart_rate).pow(2).sum().item()
                targets.append(heart_rate)
        targets = torch.cat(targets)
        r2 = 1 - residual / (targets - targets.mean()).pow(2).sum().item()
        return hits / len(targets), r2


def wrist_data(n, n_features=16, n_activities=4):
    activity = torch.randint(n_activities, (n,))
    effort = torch.randn(n)
    centers = torch.randn(n_activities, n_features)
    direction = torch.randn(n_features) / 2
    x = centers[activity] + effort[:, None] * direction + 0.65 * torch.randn(n, n_features)
    heart_rate = 75 + 4 * activity + 12 * effort + 2 * torch.randn(n)
    return x, activity, heart_rate


def main():
    torch.manual_seed(8)
    x, activity, heart_rate = wrist_data(2600)
    x = (x - x[:2000].mean(0)) / x[:2000].std(0)
    heart_rate = (heart_rate - heart_rate[:2000].mean()) / heart_rate[:2000].std()

    data = (x, activity, heart_rate)
    train_set = TensorDataset(*(t[:2000] for t in data))
    test_set = TensorDataset(*(t[2000:] for t in data))
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)

    trainer = MultiTaskTrainer(WristNet(x.shape[1], 4))
    trainer.fit(train_loader, epochs=10)
    accuracy, r2 = trainer.evaluate(DataLoader(test_set, batch_size=300))
    print(f"test: activity accuracy {accuracy:.3f}, heart rate R2 {r2:.3f}")


if __name__ == "__main__":
    main()

"""Learning from crowd votes.

Several people label every digit and do not always agree. Instead of the majority vote
we train on the whole distribution of votes, with the KL divergence.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 99
EPOCHS = 25
BATCH_SIZE = 32

CONFUSABLE = {3: [8, 9], 8: [3, 1], 9: [4, 3], 4: [9], 1: [7], 7: [1], 5: [6, 9], 6: [5], 0: [6], 2: [3]}


def crowd_votes(digits, voters=12, rng=None):
    """Fraction of the voters that chose each class."""
    votes = np.zeros((len(digits), 10), dtype=np.float32)
    for row, d in enumerate(digits):
        for _ in range(voters):
            choice = d if rng.random() < 0.8 else rng.choice(CONFUSABLE[int(d)])
            votes[row, choice] += 1
    return votes / voters


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(24 * 4, 48)
        self.fc2 = nn.Linear(48, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(self.drop(x))


def evaluate(model, images, votes, digits):
    model.eval()
    with torch.no_grad():
        log_p = model(images).log_softmax(dim=1)
    cross_entropy = -(votes * log_p).sum(1).mean().item()
    accuracy = (log_p.argmax(1) == digits).float().mean().item()
    return cross_entropy, accuracy


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)

    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 16.0 - 0.3
    digits = torch.tensor(data.target)
    votes = torch.tensor(crowd_votes(data.target, rng=rng))

    rest, test = train_test_split(np.arange(len(digits)), test_size=0.2, stratify=data.target, random_state=SEED)
    train, val = train_test_split(rest, test_size=0.15, stratify=data.target[rest], random_state=SEED)
    train, val, test = map(torch.as_tensor, (train, val, test))

    model = SmallCNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

    for epoch in range(1, EPOCHS + 1):
        model.train()
        losses = 0.0
        for idx in train[torch.randperm(len(train))].split(BATCH_SIZE):
            output = model(images[idx])
            loss = F.kl_div(output, votes[idx], reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses += loss.item() * len(idx)
        scheduler.step()
        ce, acc = evaluate(model, images[val], votes[val], digits[val])
        print(f"epoch {epoch:2d}  kl {losses / len(train):.4f}  val cross-entropy {ce:.4f}  val accuracy {acc:.3f}")

    ce, acc = evaluate(model, images[test], votes[test], digits[test])
    print(f"test: cross-entropy to the votes {ce:.4f} (uniform guess {np.log(10):.4f}), accuracy {acc:.3f}")


if __name__ == "__main__":
    main()

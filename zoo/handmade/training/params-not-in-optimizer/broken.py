"""Which of the marked letters came first? A GRU reads the string and answers at its end."""

import string

import torch
from torch import nn

LETTERS = string.ascii_lowercase[:16]
MARKED = LETTERS[:4]
LENGTH = 16


def make_strings(n, generator):
    """Random strings with the four marked letters at distinct places; the label is the first."""
    filler = torch.randint(len(MARKED), len(LETTERS), (n, LENGTH), generator=generator)
    places = torch.rand(n, LENGTH, generator=generator).argsort(dim=1)[:, : len(MARKED)]
    marks = torch.arange(len(MARKED)).expand(n, -1)
    codes = filler.scatter(1, places, marks)
    return codes, places.argmin(dim=1)


class FirstLetter(nn.Module):
    def __init__(self, emb_dim=12, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(len(LETTERS), emb_dim)
        self.gru = nn.GRU(emb_dim, hidden, batch_first=True)
        self.classifier = nn.Linear(hidden, len(MARKED))

    def forward(self, codes):
        _, last = self.gru(self.embedding(codes))
        return self.classifier(last[0])


def make_optimizer(model, lr=1e-2, weight_decay=1e-3):
    decay = [p for name, p in model.named_parameters() if name.endswith("weight")]
    no_decay = [p for name, p in model.named_parameters() if name.endswith("bias")]
    groups = [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr)


def batches(codes, labels, size):
    order = torch.randperm(len(codes))
    for start in range(0, len(codes), size):
        chosen = order[start : start + size]
        yield codes[chosen], labels[chosen]


def accuracy(model, codes, labels):
    model.eval()
    with torch.no_grad():
        return (model(codes).argmax(dim=1) == labels).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(17)
    g = torch.Generator().manual_seed(17)
    train_codes, train_labels = make_strings(2500, g)
    val_codes, val_labels = make_strings(300, g)
    test_codes, test_labels = make_strings(1000, g)

    model = FirstLetter()
    optimizer = make_optimizer(model)
    objective = nn.CrossEntropyLoss()
    for epoch in range(1, 9):
        model.train()
        losses = []
        for codes, labels in batches(train_codes, train_labels, 100):
            loss = objective(model(codes), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        mean = sum(losses) / len(losses)
        val_acc = accuracy(model, val_codes, val_labels)
        print(f"epoch {epoch:2d} | loss {mean:.4f} | val {val_acc:.3f}")

    print(f"accuracy on unseen strings: {accuracy(model, test_codes, test_labels):.3f}")

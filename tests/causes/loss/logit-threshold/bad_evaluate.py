import torch
import torch.nn as nn


class Spam(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, 32)
        self.fc = nn.Linear(32, 1)

    def forward(self, ids):
        return self.fc(self.bag(ids)).squeeze(-1)


def train(model, loader, opt):
    criterion = nn.BCEWithLogitsLoss()
    model.train()
    for ids, y in loader:
        opt.zero_grad()
        criterion(model(ids), y).backward()
        opt.step()


@torch.no_grad()
def evaluate(model, loader, threshold=0.5):
    model.eval()
    right = n = 0
    for ids, y in loader:
        predicted = (model(ids) >= threshold).float()  # logit-threshold
        right += (predicted == y).sum().item()
        n += len(y)
    return right / n


spam = Spam(1000)
train(spam, train_loader, torch.optim.Adam(spam.parameters()))
print(evaluate(spam, test_loader))

import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 128), nn.GELU(), nn.Dropout(0.1), nn.Linear(128, k))

    def forward(self, x):
        return self.body(x)

    @torch.no_grad()
    def predict_proba(self, x):
        was = self.training
        self.eval()
        p = torch.softmax(self(x), dim=-1)
        self.train(was)
        return p


def fit(model, loader, epochs=20):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ce = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0]))
    for _ in range(epochs):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            logits = model(x)
            loss = ce(logits, y)
            loss.backward()
            opt.step()
            probs = logits.detach().softmax(-1)  # for the log only
        print(loss.item(), probs.max(-1).values.mean().item())

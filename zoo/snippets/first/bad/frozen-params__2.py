import torch
import torch.nn as nn


class TextCNN(nn.Module):
    """Kim (2014), non-static variant: word vectors are learnt with the classifier."""

    def __init__(self, vocab_size, dim=200, n_filters=100, widths=(3, 4, 5), n_classes=2):
        super().__init__()
        table = torch.randn(vocab_size, dim) * 0.1
        self.embedding = nn.Embedding.from_pretrained(table)
        self.convs = nn.ModuleList([nn.Conv1d(dim, n_filters, w) for w in widths])
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(n_filters * len(widths), n_classes)

    def forward(self, ids):
        e = self.embedding(ids).transpose(1, 2)
        pooled = [torch.relu(c(e)).amax(dim=2) for c in self.convs]
        return self.fc(self.dropout(torch.cat(pooled, dim=1)))


def train(model, batches, epochs):
    opt = torch.optim.Adadelta(filter(lambda p: p.requires_grad, model.parameters()), lr=1.0)
    for ep in range(epochs):
        model.train()
        for ids, y in batches():
            loss = nn.functional.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()

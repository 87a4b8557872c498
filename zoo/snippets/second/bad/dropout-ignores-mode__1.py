import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self, vocab_size, embed_dim=300, n_filters=100, sizes=(3, 4, 5), n_classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=1)
        self.convs = nn.ModuleList([nn.Conv2d(1, n_filters, (k, embed_dim)) for k in sizes])
        self.fc = nn.Linear(len(sizes) * n_filters, n_classes)

    def forward(self, text):
        emb = self.embedding(text).unsqueeze(1)
        conved = [F.relu(conv(emb)).squeeze(3) for conv in self.convs]
        pooled = [F.max_pool1d(c, c.size(2)).squeeze(2) for c in conved]
        cat = F.dropout(torch.cat(pooled, dim=1), p=0.5)
        return self.fc(cat)


def evaluate(model, iterator):
    model.eval()
    correct, total = 0, 0
    with torch.no_grad():
        for text, label in iterator:
            pred = model(text).argmax(1)
            correct += (pred == label).sum().item()
            total += label.size(0)
    return correct / total

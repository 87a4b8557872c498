import torch.nn as nn
import torch.nn.functional as F
import torch


class TextCNN(nn.Module):
    def __init__(self, vocab, emb, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(emb, 100, k) for k in (3, 4, 5)])
        self.fc = nn.Linear(300, n_classes)

    def forward(self, text):
        x = self.embedding(text).permute(0, 2, 1)
        x = [F.relu(conv(x)) for conv in self.convs]
        x = [F.max_pool1d(c, c.size(2)).squeeze(2) for c in x]
        x = torch.cat(x, dim=1)
        x = F.dropout(x, p=0.5)
        return self.fc(x)


def evaluate(model, loader):
    model.eval()
    correct, total = 0, 0
    with torch.no_grad():
        for text, label in loader:
            out = model(text.to(device))
            correct += (out.argmax(1) == label.to(device)).sum().item()
            total += label.size(0)
    return correct / total

import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self, vocab, n_cls, emb=100):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.convs = nn.ModuleList([nn.Conv1d(emb, 64, k) for k in (3, 4, 5)])
        self.fc = nn.Linear(192, n_cls)

    def forward(self, tokens):
        h = self.emb(tokens).transpose(1, 2)
        h = torch.cat([F.relu(c(h)).max(dim=2)[0] for c in self.convs], dim=1)
        return self.fc(h)


@torch.no_grad()
def predict(model, batches):
    model.eval()
    out = []
    for tokens in batches:
        logits = model(tokens)
        probs = F.softmax(logits, dim=0)
        conf, cls = probs.max(dim=1)
        out.extend(zip(cls.tolist(), conf.tolist()))
    return out

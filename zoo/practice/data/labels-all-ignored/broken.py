"""Tag every token as inside or outside of a bracket pair, padded batches."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, OPEN, CLOSE = 0, 1, 2
IGNORE = -100


def sample():
    n = random.randint(8, 20)
    toks = [random.randint(3, 9) for _ in range(n)]
    a, b = sorted(random.sample(range(n), 2))
    toks[a], toks[b] = OPEN, CLOSE
    tags = [1 if a < i < b else 0 for i in range(n)]
    return torch.tensor(toks), torch.tensor(tags)


def collate(batch):
    ids = pad_sequence([b[0] for b in batch], batch_first=True, padding_value=PAD)
    tags = pad_sequence([b[1] for b in batch], batch_first=True, padding_value=IGNORE)
    tags = tags.masked_fill(ids != PAD, IGNORE)
    return ids, tags


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 16, padding_idx=PAD)
        self.rnn = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(48, 2)

    def forward(self, ids):
        return self.fc(self.rnn(self.emb(ids))[0])


random.seed(3)
torch.manual_seed(3)
train_loader = DataLoader([sample() for _ in range(1200)], 40, shuffle=True, collate_fn=collate)
test_set = [sample() for _ in range(200)]

model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)

for epoch in range(6):
    model.train()
    for ids, tags in train_loader:
        out = model(ids)
        loss = criterion(out.reshape(-1, 2), tags.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: last loss {loss.item():.4f}")

model.eval()
hits = total = 0
with torch.no_grad():
    for ids, tags in test_set:
        guess = model(ids[None]).argmax(-1)[0]
        hits += (guess == tags).sum().item()
        total += len(tags)
print(f"tag accuracy {hits / total:.3f}")

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(19)
V, BLOCK = 18, 24
trans = torch.full((V, V), 0.0)
for i in range(V):
    trans[i, torch.randperm(V)[:2]] = torch.tensor([0.85, 0.15])


def walk(n):
    s = [0]
    for u in torch.rand(n).tolist():
        nz = trans[s[-1]].nonzero().flatten().tolist()
        top = max(nz, key=lambda j: trans[s[-1], j])
        other = [j for j in nz if j != top][0]
        s.append(top if u < 0.85 else other)
    return torch.tensor(s)


class TokenStream(Dataset):
    def __init__(self, ids):
        self.ids = ids

    def __len__(self):
        return (len(self.ids) - 1) // BLOCK

    def __getitem__(self, k):
        chunk = self.ids[k * BLOCK:(k + 1) * BLOCK + 1]
        return {"input_ids": chunk[:-1], "labels": chunk[1:]}


class TinyLM(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok = nn.Embedding(V, d)
        self.rnn = nn.LSTM(d, d, batch_first=True)
        self.head = nn.Linear(d, V)

    def forward(self, input_ids, labels=None):
        logits = self.head(self.rnn(self.tok(input_ids))[0])
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].reshape(-1, V), labels[:, 1:].reshape(-1))
        return loss, logits


ids = walk(9000)
cut = 7800
loader = DataLoader(TokenStream(ids[:cut]), batch_size=16, shuffle=True)
model = TinyLM()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(10):
    for batch in loader:
        loss, _ = model(**batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
model.eval()
with torch.no_grad():
    seq = ids[cut:][None]
    guess = model(seq[:, :-1])[1].argmax(-1)
    print(f"next-token accuracy {(guess == seq[:, 1:]).float().mean():.3f}")

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(40)
V, L = 10, 16


def cycles(n):
    start, stride = torch.randint(0, V, (n, 1)), torch.randint(1, 5, (n, 1))
    return (start + stride * torch.arange(L)) % V


class Decoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, d), nn.Embedding(L, d)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, V)

    def forward(self, ids, labels=None):
        n = ids.shape[1]
        h = self.tok(ids) + self.pos(torch.arange(n))
        logits = self.out(self.body(h, mask=nn.Transformer.generate_square_subsequent_mask(n)))
        if labels is None:
            return logits
        return F.cross_entropy(logits[:, 1:-1].flatten(0, 1), labels[:, 2:].flatten())


model = Decoder()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for it in range(300):
    ids = cycles(32)
    loss = model(ids, labels=ids)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 59:
        print(f"it {it + 1} loss {loss.item():.4f}")
with torch.no_grad():
    truth = cycles(100)
    seq = truth[:, :4]
    while seq.shape[1] < L:
        seq = torch.cat([seq, model(seq)[:, -1:].argmax(-1)], 1)
print(f"exact continuation {(seq == truth).all(1).float().mean():.3f}")

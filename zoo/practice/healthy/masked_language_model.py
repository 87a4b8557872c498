import torch
import torch.nn as nn

torch.manual_seed(15)
V, T, MASK = 12, 10, 11


def text(n):
    s = torch.randint(0, 10, (n, 1))
    k = torch.randint(1, 4, (n, 1))
    return (s + k * torch.arange(T)) % 10


def mask_tokens(s):
    labels = s.clone()
    pick = torch.rand(s.shape) < 0.2
    pick[:, 0] |= ~pick.any(1)
    labels[~pick] = -100
    return s.masked_fill(pick, MASK), labels


class MLM(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, d), nn.Embedding(T, d)
        layer = nn.TransformerEncoderLayer(d, 2, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, V)

    def forward(self, s):
        return self.out(self.enc(self.tok(s) + self.pos.weight))


net = MLM()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: min(1.0, (k + 1) / 20))
for step in range(300):
    s, labels = mask_tokens(text(64))
    loss = nn.functional.cross_entropy(net(s).view(-1, V), labels.view(-1), ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 60 == 59:
        print(step + 1, f"{loss.item():.4f}")
net.eval()
with torch.no_grad():
    s, labels = mask_tokens(text(300))
    m = labels != -100
    print(f"masked accuracy {(net(s).argmax(-1)[m] == labels[m]).float().mean().item():.3f}")

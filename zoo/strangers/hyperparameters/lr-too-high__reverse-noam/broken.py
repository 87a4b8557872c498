# toy transduction: mirror the sequence and shift each symbol by the first one (mod V)
import torch, math
import torch.nn as nn

V, LEN, D, WARMUP, STEPS = 8, 8, 64, 120, 450
torch.manual_seed(1234)


def data_gen(batch, n, gen):
    for _ in range(n):
        src = torch.randint(0, V, (batch, LEN), generator=gen)
        yield src, (src.flip(1) + src[:, :1]) % V


class PositionalEncoding(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        pos = torch.arange(n).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * -(math.log(1000.0) / d))
        pe = torch.zeros(n, d)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Mirror(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.pos = PositionalEncoding(D, LEN)
        layer = nn.TransformerEncoderLayer(D, 4, 128, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.gen = nn.Linear(D, V)

    def forward(self, src):
        return self.gen(self.enc(self.pos(self.emb(src))))


def rate(step, model_size, factor, warmup):
    step = max(step, 1)
    return factor * min(step ** -0.5, step * warmup ** -1.5)


class SimpleLossCompute:
    def __init__(self, opt=None, sched=None):
        self.crit = nn.CrossEntropyLoss()
        self.opt, self.sched = opt, sched

    def __call__(self, out, tgt):
        loss = self.crit(out.reshape(-1, V), tgt.reshape(-1))
        if self.opt is not None:
            loss.backward()
            self.opt.step()
            self.sched.step()
            self.opt.zero_grad(set_to_none=True)
        return loss.item()


def run_epoch(it, model, compute, verbose=False):
    n = ok = 0
    tot = 0.0
    for i, (src, tgt) in enumerate(it):
        out = model(src)
        l = compute(out, tgt)
        tot += l * len(src)
        n += len(src)
        ok += (out.argmax(-1) == tgt).float().mean().item() * len(src)
        if verbose and i % 100 == 0:
            print(f"Epoch Step: {i} Loss: {l:f} Lr: {compute.opt.param_groups[0]['lr']:.2e}")
    return tot / n, ok / n


model = Mirror()
opt = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: rate(s, D, factor=0.3, warmup=WARMUP))

gen = torch.Generator().manual_seed(8)
model.train()
run_epoch(data_gen(64, STEPS, gen), model, SimpleLossCompute(opt, sched), verbose=True)
model.eval()
with torch.no_grad():
    loss, acc = run_epoch(data_gen(200, 5, gen), model, SimpleLossCompute())
print(f"held-out loss {loss:.4f}  token accuracy {acc:.3f}")

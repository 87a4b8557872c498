import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(35)
CFG = dict(dim=40, ids=20, batch=64, accum=32, epochs=10, lr=3e-3, margin=0.4)


class Triplets(Dataset):
    def __init__(self, bank, n=1280):
        self.bank, self.n = bank, n

    def __len__(self):
        return self.n

    def __getitem__(self, _):
        a, b = torch.randperm(len(self.bank))[:2]
        i, j = torch.randperm(self.bank.shape[1])[:2]
        k = torch.randint(0, self.bank.shape[1], (1,)).item()
        return self.bank[a, i], self.bank[a, j], self.bank[b, k]


def make_bank(shots=24):
    core = torch.randn(CFG["ids"], 1, 4) * 0.9
    nuisance = torch.randn(CFG["ids"], shots, CFG["dim"] - 4) * 1.3
    mix = torch.linalg.qr(torch.randn(CFG["dim"], CFG["dim"]))[0]
    return torch.cat([core + 0.15 * torch.randn(CFG["ids"], shots, 4), nuisance], -1) @ mix


class Trainer:
    def __init__(self, cfg, bank):
        self.cfg = cfg
        self.train_bank, self.bank = bank[:, :16], bank
        self.net = nn.Sequential(nn.Linear(cfg["dim"], 32), nn.ReLU(), nn.Linear(32, 8))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg["lr"])
        self.loss = nn.TripletMarginLoss(cfg["margin"])
        self.loader = DataLoader(Triplets(self.train_bank), batch_size=cfg["batch"])

    def embed(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)

    def epoch(self):
        self.opt.zero_grad()
        seen = 0.0
        for k, (a, p, n) in enumerate(self.loader):
            loss = self.loss(self.embed(a), self.embed(p), self.embed(n))
            (loss / self.cfg["accum"]).backward()
            seen += loss.item()
            if (k + 1) % self.cfg["accum"] == 0:
                self.opt.step()
                self.opt.zero_grad()
        return seen / len(self.loader)

    @torch.no_grad()
    def recall(self):
        z = self.embed(self.bank)
        gallery, query = z[:, :16].flatten(0, 1), z[:, 16:].flatten(0, 1)
        gid = torch.arange(len(z)).repeat_interleave(16)
        qid = torch.arange(len(z)).repeat_interleave(z.shape[1] - 16)
        return (gid[torch.cdist(query, gallery).argmin(1)] == qid).float().mean().item()


t = Trainer(CFG, make_bank())
for e in range(CFG["epochs"]):
    print(f"epoch {e} triplet loss {t.epoch():.4f} recall@1 {t.recall():.3f}")

"""VAE on 8x8 digits with linear KL annealing. Run: python train.py"""
import json
import logging
import sys
from dataclasses import asdict, dataclass

import torch
from sklearn.neighbors import KNeighborsClassifier

from data import load_splits, loaders
from model import VAE, elbo_terms

log = logging.getLogger("vae")


@dataclass
class Config:
    seed: int = 5
    latent: int = 10
    hidden: int = 200
    batch_size: int = 64
    epochs: int = 90
    lr: float = 1e-3
    warmup_epochs: int = 25
    patience: int = 20


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.splits = load_splits(cfg.seed)
        self.dl = loaders(self.splits, cfg.batch_size)
        self.model = VAE(cfg.latent, cfg.hidden)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.best, self.best_state, self.stale = float("inf"), None, 0

    def beta(self, epoch):
        return min(1.0, epoch / self.cfg.warmup_epochs)

    def run_epoch(self, beta):
        self.model.train()
        agg = torch.zeros(3)
        for x, _ in self.dl["fit"]:
            logits, mu, logvar = self.model(x)
            rec, kl = elbo_terms(x, logits, mu, logvar)
            loss = rec + beta * kl
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            agg += torch.stack([rec.detach(), kl.detach(), torch.ones(())]) * len(x)
        return (agg[:2] / agg[2]).tolist()

    @torch.no_grad()
    def neg_elbo(self, split, draws=8):
        self.model.eval()
        total = count = 0.0
        for x, _ in self.dl[split]:
            mu, logvar = self.model.encode(x)
            for _ in range(draws):
                z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
                rec, kl = elbo_terms(x, self.model.dec(z), mu, logvar)
                total += (rec + kl).item() * len(x) / draws
            count += len(x)
        return total / count

    @torch.no_grad()
    def knn_probe(self):
        self.model.eval()
        feats = {k: self.model.encode(ds.tensors[0])[0].numpy() for k, ds in self.splits.items()}
        labels = {k: ds.tensors[1].numpy() for k, ds in self.splits.items()}
        return KNeighborsClassifier(5).fit(feats["fit"], labels["fit"]).score(feats["test"], labels["test"])

    def fit(self):
        for epoch in range(1, self.cfg.epochs + 1):
            beta = self.beta(epoch)
            rec, kl = self.run_epoch(beta)
            val = self.neg_elbo("val")
            if epoch % 10 == 0 or epoch == 1:
                log.info("epoch=%d beta=%.2f rec=%.3f kl=%.3f objective=%.3f val_nelbo=%.3f", epoch, beta, rec, kl, rec + beta * kl, val)
            if beta < 1.0:
                continue
            if val < self.best - 1e-3:
                self.best, self.stale = val, 0
                self.best_state = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                self.stale += 1
                if self.stale >= self.cfg.patience:
                    log.info("stopping at epoch %d", epoch)
                    break
        self.model.load_state_dict(self.best_state)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s | %(message)s")
    cfg = Config()
    log.info("config %s", json.dumps(asdict(cfg)))
    trainer = Trainer(cfg)
    trainer.fit()
    log.info("val_nelbo=%.3f test_nelbo=%.3f knn_probe_acc=%.4f", trainer.best, trainer.neg_elbo("test", 32), trainer.knn_probe())

import logging

import torch
import torch.nn.functional as F

from config import Config
from graphdata import make_graph
from layers import SensorGNN

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("sensors")


@torch.no_grad()
def score(model, g, nodes):
    model.eval()
    out = model(g.adj, g.x)[nodes]
    y = g.y[nodes]
    return F.cross_entropy(out, y).item(), (out.argmax(-1) == y).float().mean().item()


def run(cfg):
    torch.manual_seed(cfg.seed)
    g = make_graph(cfg)
    log.info("nodes %d  edges %d  positives %.3f", cfg.nodes, g.adj._nnz(), g.y.float().mean().item())
    model = SensorGNN(cfg.channels, cfg.hidden, cfg.classes)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(g.adj, g.x)[g.train], g.y[g.train])
        loss.backward()
        opt.step()
        sched.step()
        if epoch % cfg.log_every == 0 or epoch == 1:
            vl, va = score(model, g, g.val)
            log.info("epoch %3d  loss %.4f  val loss %.4f  val acc %.3f", epoch, loss.item(), vl, va)
    tl, ta = score(model, g, g.test)
    log.info("test loss %.4f  test acc %.4f", tl, ta)


if __name__ == "__main__":
    run(Config())

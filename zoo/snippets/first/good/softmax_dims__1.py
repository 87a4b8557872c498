import torch
import torch.nn as nn
import torch.nn.functional as F


class SemanticAttention(nn.Module):
    """One weight per meta-path, shared by all nodes: softmax over the M paths in dim 0."""

    def __init__(self, d, hid=128):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(d, hid), nn.Tanh(), nn.Linear(hid, 1, bias=False))

    def forward(self, z):                        # (M, N, d)
        w = self.proj(z).mean(dim=1)             # (M, 1)
        beta = torch.softmax(w, dim=0)
        return (beta.unsqueeze(-1) * z).sum(dim=0)


def seg_predict(net, img):
    net.eval()
    with torch.no_grad():
        prob = F.softmax(net(img), dim=1)        # (N, C, H, W)
        return prob.argmax(dim=1)


def predict_one(net, x):
    net.eval()
    with torch.no_grad():
        p = F.softmax(net(x.unsqueeze(0)).squeeze(0), dim=0)
        return int(p.argmax(dim=0)), float(p.max())


def clip_retrieval(img_emb, txt_emb):
    sim = F.normalize(img_emb, dim=-1) @ F.normalize(txt_emb, dim=-1).t()
    best_text = sim.argmax(dim=1)
    best_image = sim.argmax(dim=0)
    return best_text, best_image

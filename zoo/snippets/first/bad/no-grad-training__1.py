import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass


@dataclass
class Args:
    lr_backbone: float = 1e-5
    lr_head: float = 1e-3
    epochs: int = 20


class Segmenter:
    def __init__(self, backbone: nn.Module, head: nn.Module, args: Args):
        self.backbone, self.head, self.args = backbone, head, args
        self.opt = torch.optim.AdamW([
            {"params": backbone.parameters(), "lr": args.lr_backbone},
            {"params": head.parameters(), "lr": args.lr_head},
        ], weight_decay=1e-4)

    def loss(self, img, mask):
        with torch.no_grad():
            feats = self.backbone(img)
        logits = self.head(feats)
        logits = F.interpolate(logits, size=mask.shape[-2:], mode="bilinear", align_corners=False)
        return F.cross_entropy(logits, mask, ignore_index=255)

    def fit(self, loader):
        for epoch in range(self.args.epochs):
            self.backbone.train()
            self.head.train()
            for img, mask in loader:
                self.opt.zero_grad()
                loss = self.loss(img, mask)
                loss.backward()
                self.opt.step()
            print(f"{epoch:3d} {loss.item():.4f}")

import torch
from torch import nn

TASKS = {"age": 1, "sex": 2, "ethnicity": 5}


class MultiTaskFace(nn.Module):
    def __init__(self, backbone: nn.Module, dim: int = 512):
        super().__init__()
        self.backbone = backbone
        self.heads = {}
        for task, n_out in TASKS.items():
            self.heads[task] = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, n_out))

    def forward(self, img: torch.Tensor) -> dict[str, torch.Tensor]:
        f = self.backbone(img)
        return {t: h(f) for t, h in self.heads.items()}


def multitask_loss(out, target):
    return (
        nn.functional.smooth_l1_loss(out["age"].squeeze(1), target["age"].float() / 100)
        + nn.functional.cross_entropy(out["sex"], target["sex"])
        + nn.functional.cross_entropy(out["ethnicity"], target["ethnicity"])
    )


def train(backbone, loader, epochs=5):
    model = MultiTaskFace(backbone)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for _ in range(epochs):
        model.train()
        for img, target in loader:
            opt.zero_grad()
            multitask_loss(model(img), target).backward()
            opt.step()
    return model

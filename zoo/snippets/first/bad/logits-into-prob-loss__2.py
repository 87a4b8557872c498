import torch
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast


class DistillationTrainer:
    def __init__(self, student, teacher, cfg):
        self.student, self.teacher = student, teacher.eval()
        self.T, self.alpha = cfg["temperature"], cfg["alpha"]
        self.opt = torch.optim.AdamW(student.parameters(), lr=cfg["lr"])
        self.scaler = GradScaler()
        for p in self.teacher.parameters():
            p.requires_grad_(False)

    def soft_loss(self, s_logits, t_logits):
        target = F.softmax(t_logits / self.T, dim=-1)
        return F.kl_div(s_logits / self.T, target, reduction="batchmean") * self.T ** 2

    def step(self, x, y):
        self.student.train()
        with autocast():
            with torch.no_grad():
                t = self.teacher(x)
            s = self.student(x)
            loss = self.alpha * self.soft_loss(s, t) + (1 - self.alpha) * F.cross_entropy(s, y)
        self.opt.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()

import torch
import torch.nn as nn
import torch.nn.functional as F


class DistillationLoss(nn.Module):
    def __init__(self, T=4.0, alpha=0.7):
        super().__init__()
        self.T, self.alpha = T, alpha

    def forward(self, student_logits, teacher_logits, y):
        soft = F.kl_div(
            F.log_softmax(student_logits / self.T, dim=1),
            F.softmax(teacher_logits / self.T, dim=1),
            reduction="batchmean",
        ) * self.T ** 2
        return self.alpha * soft + (1 - self.alpha) * F.cross_entropy(student_logits, y)


def distill(student, teacher, loader, device, epochs=30):
    teacher.to(device).eval()
    student.to(device)
    crit = DistillationLoss()
    opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [15, 25], gamma=0.1)
    for epoch in range(epochs):
        student.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            with torch.no_grad():
                t = teacher(x)
            opt.zero_grad()
            loss = crit(student(x), t, y)
            loss.backward()
            opt.step()
        sched.step()

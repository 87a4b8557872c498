import torch
import torch.nn as nn
import torch.nn.functional as F


class DINOLoss(nn.Module):
    def __init__(self, out_dim, t_temp=0.04, s_temp=0.1, center_momentum=0.9):
        super().__init__()
        self.t_temp, self.s_temp, self.m = t_temp, s_temp, center_momentum
        self.register_buffer("center", torch.zeros(1, out_dim))

    def forward(self, student_views, teacher_views):
        s = [F.log_softmax(v / self.s_temp, dim=-1) for v in student_views]
        t = [F.softmax((v - self.center) / self.t_temp, dim=-1).detach() for v in teacher_views]
        total, n = 0.0, 0
        for i, q in enumerate(t):
            for j, p in enumerate(s):
                if i == j:
                    continue
                total = total + torch.sum(-q * p, dim=-1).mean()
                n += 1
        self.update_center(torch.cat(teacher_views))
        return total / n

    @torch.no_grad()
    def update_center(self, out):
        self.center.mul_(self.m).add_(out.mean(dim=0, keepdim=True), alpha=1 - self.m)


def train_step(student, teacher, loss_fn, opt, crops, momentum):
    with torch.no_grad():
        t_out = [teacher(c) for c in crops[:2]]
    loss = loss_fn([student(c) for c in crops], t_out)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for ps, pt in zip(student.parameters(), teacher.parameters()):
            pt.data.mul_(momentum).add_((1 - momentum) * ps.detach().data)
    return loss.item()

import torch
import torch.nn.functional as F


def kd_loss(student_logits, teacher_logits, labels, T=4.0, alpha=0.9):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1), F.softmax(teacher_logits / T, dim=1), reduction="batchmean"
    ) * (T * T)
    hard = F.cross_entropy(student_logits, labels)
    return alpha * soft + (1 - alpha) * hard


def train(student, teacher, loader, opt):
    teacher.eval()
    student.train()
    for x, y in loader:
        with torch.no_grad():
            t = teacher(x)
        loss = kd_loss(student(x), t, y)
        opt.zero_grad()
        loss.backward()
        opt.step()

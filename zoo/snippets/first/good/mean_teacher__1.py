import copy
import torch
import torch.nn.functional as F

student = make_model().cuda()
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.detach_()
opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True)

for step, ((xl, yl), (u1, u2)) in enumerate(zip(labelled, unlabelled)):
    student.train()
    teacher.train()
    with torch.no_grad():
        t_prob = teacher(u2.cuda()).softmax(dim=1)
    s_prob = student(u1.cuda()).softmax(dim=1)
    cls = F.cross_entropy(student(xl.cuda()), yl.cuda())
    w = min(1.0, step / 5000)
    loss = cls + w * F.mse_loss(s_prob, t_prob)
    opt.zero_grad()
    loss.backward()
    opt.step()
    alpha = min(1 - 1 / (step + 1), 0.999)
    for tp, sp in zip(teacher.parameters(), student.parameters()):
        tp.data.mul_(alpha).add_(sp.data, alpha=1 - alpha)

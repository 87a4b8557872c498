import torch
from torch import nn

teacher = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Dropout(0.2), nn.Linear(50, 3))
student = nn.Sequential(nn.Linear(10, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 3))
teacher.load_state_dict(torch.load("teacher.pt"))
teacher.eval()
opt = torch.optim.Adam(student.parameters())
for x in loader:
    student.train()
    for m in student.modules():
        if isinstance(m, nn.BatchNorm1d):
            m.eval()
    with torch.no_grad():
        target = teacher(x).softmax(1)
    loss = nn.functional.kl_div(student(x).log_softmax(1), target, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()

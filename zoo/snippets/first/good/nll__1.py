import torch
import torch.nn as nn
import torch.nn.functional as F


class TextNet(nn.Module):
    def __init__(self, vocab, n):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, 64)
        self.fc = nn.Linear(64, n)
        self.act = nn.LogSoftmax(dim=-1)

    def forward(self, t, off):
        return self.act(self.fc(self.bag(t, off)))


net = TextNet(95812, 4)
criterion = nn.NLLLoss()
opt = torch.optim.SGD(net.parameters(), lr=4.0)
sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.9)
for epoch in range(5):
    net.train()
    for text, off, cls in train_dl:
        opt.zero_grad()
        loss = criterion(net(text, off), cls)
        loss.backward()
        opt.step()
    sched.step()
    net.eval()
    with torch.no_grad():
        ok = sum((net(t, o).argmax(1) == c).sum().item() for t, o, c in valid_dl)
        # log-probabilities back to probabilities for the report
        print(epoch, ok / n_valid, net(text, off)[0].exp())

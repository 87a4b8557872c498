import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

images, masks = torch.randn(40, 3, 16, 16), torch.randint(0, 5, (40, 16, 16))
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 5, 1))
opt = torch.optim.Adam(net.parameters())
for x, y in DataLoader(TensorDataset(images, masks), batch_size=8, shuffle=True):
    logp = F.log_softmax(net(x), dim=1)
    loss = F.nll_loss(logp, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    predicted = logp.argmax(dim=1)

import torch
import torch.nn as nn
from scipy.optimize import linear_sum_assignment

device = "cuda" if torch.cuda.is_available() else "cpu"
print("device:", device)
options = {"device": device}


class Matcher(nn.Module):
    def forward(self, cost):
        rows, cols = linear_sum_assignment(cost.detach().cpu().numpy())
        return torch.as_tensor(cols).to(cost.device)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(16, 32, batch_first=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        return out.to(x.device)


class Decomposed(nn.Module):
    def forward(self, x):
        if x.device.type == "mps":  # no kernel for it there
            return torch.linalg.eigvalsh(x.cpu()).to(x.device)
        return torch.linalg.eigvalsh(x)


def fit(make, batches):
    net = make(**options)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()

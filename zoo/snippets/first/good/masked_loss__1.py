import torch
import torch.nn as nn
import torch.nn.functional as F


def masked_mse(pred, target, lengths):
    """Mean over the real frames only; pred and target (B, T, D)."""
    mask = torch.arange(pred.size(1), device=pred.device)[None, :] < lengths[:, None]
    err = (pred - target).pow(2).mean(-1)
    return (err * mask).sum() / mask.sum().clamp(min=1)


class Seq2Frame(nn.Module):
    def __init__(self, d_in, d_out, hid=128):
        super().__init__()
        self.rnn = nn.GRU(d_in, hid, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hid, d_out)

    def forward(self, x, lengths):
        p = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        h, _ = self.rnn(p)
        h, _ = nn.utils.rnn.pad_packed_sequence(h, batch_first=True, total_length=x.size(1))
        return self.out(F.relu(h))


def train(model, loader, epochs):
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(epochs):
        for x, y, n in loader:
            opt.zero_grad()
            masked_mse(model(x, n), y, n).backward()
            opt.step()

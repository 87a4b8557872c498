import torch
import torch.nn as tnn


class TrajectoryNet(tnn.Module):
    def __init__(self, inp=2, hid=128, out=2):
        super().__init__()
        self.hid = hid
        self.cell = tnn.LSTMCell(inp, hid)
        self.readout = tnn.Linear(hid, out)

    def forward(self, xs):
        B, T, _ = xs.shape
        preds = []
        for t in range(T):
            h = xs.new_zeros(B, self.hid)
            c = xs.new_zeros(B, self.hid)
            h, c = self.cell(xs[:, t], (h, c))
            preds.append(self.readout(h))
        return torch.stack(preds, dim=1)


def train(loader, epochs=30):
    torch.manual_seed(5)
    net = TrajectoryNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for ep in range(epochs):
        for traj in loader:
            opt.zero_grad()
            loss = (net(traj[:, :-1]) - traj[:, 1:]).norm(dim=-1).mean()
            loss.backward()
            tnn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()

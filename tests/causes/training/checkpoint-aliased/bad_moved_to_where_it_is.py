import torch
from torch import nn

DEVICE = torch.device("cpu")


class Snapshot:
    def __init__(self):
        self.loss, self.weights = float("inf"), None

    def look(self, net, loss):
        if loss < self.loss:
            self.loss = loss
            self.weights = {name: w.to("cpu") for name, w in net.state_dict().items()}  # checkpoint-aliased

    def put_back(self, net):
        net.load_state_dict(self.weights)


def run(x, y, x_val, y_val):
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).to(DEVICE)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    snapshot = Snapshot()
    for _ in range(100):
        net.train()
        for idx in torch.randperm(len(x)).split(32):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x[idx]), y[idx]).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            snapshot.look(net, nn.functional.mse_loss(net(x_val), y_val).item())
    snapshot.put_back(net)
    return net


torch.manual_seed(0)
x = torch.randn(300, 4)
run(x[:200], x[:200, :1], x[200:], x[200:, :1])

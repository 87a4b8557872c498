import torch
import torch.nn as nn


class Monitor:
    def __init__(self):
        self.top = 0.0
        self.champion = {"net": None, "epoch": -1}

    def see(self, accuracy, net, epoch):
        if accuracy > self.top:
            self.top = accuracy
            self.champion["net"] = net  # checkpoint-aliased
            self.champion["epoch"] = epoch


def main(train_loader, x_val, y_val):
    net = nn.Sequential(nn.Linear(30, 50), nn.Tanh(), nn.Linear(50, 4))
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    monitor = Monitor()
    for epoch in range(60):
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        with torch.no_grad():
            accuracy = (net(x_val).argmax(1) == y_val).float().mean().item()
        monitor.see(accuracy, net, epoch)
    return monitor.champion["net"]

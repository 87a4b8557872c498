import torch
import torch.nn as N


class Net(N.Module):
    def __init__(self):
        super().__init__()
        self.fc = N.Linear(8, 2)

    def forward(self, x):
        return self.fc(x)


def main(path, loader):
    model = Net()
    model.load_state_dict(torch.load(path))
    model = Net().cuda()  # weights-not-loaded
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print((model(x).argmax(1) == y).float().mean())


main("net.pt", loader)

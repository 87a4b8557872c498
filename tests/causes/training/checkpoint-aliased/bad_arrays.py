import torch
import torch.nn.functional as F


class Curve(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(1, 20)
        self.out = torch.nn.Linear(20, 1)

    def forward(self, t):
        return self.out(torch.tanh(self.hidden(t)))


def main():
    torch.manual_seed(1)
    t = torch.linspace(-1, 1, 400)[torch.randperm(400)].unsqueeze(1)
    target = torch.sin(4 * t) + 0.1 * torch.randn_like(t)
    model = Curve()
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    best, arrays = None, {}
    for epoch in range(300):
        opt.zero_grad()
        loss = F.mse_loss(model(t[:300]), target[:300])
        loss.backward()
        opt.step()
        with torch.no_grad():
            score = F.mse_loss(model(t[300:]), target[300:]).item()
        if best is None or score < best:
            best = score
            state = model.state_dict()  # checkpoint-aliased
            arrays = {k: p.detach().cpu().numpy() for k, p in state.items()}
    model.load_state_dict({k: torch.from_numpy(a) for k, a in arrays.items()})
    print(best)


main()

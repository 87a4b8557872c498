import torch
import torch.nn.functional as F
from tqdm import tqdm


def train(net, loader, opt, epochs, beta=0.98):
    smooth, history = None, []
    for epoch in range(epochs):
        net.train()
        total = torch.zeros(())
        seen = 0
        bar = tqdm(loader)
        for x, y in bar:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step_loss = loss.detach()
            total += step_loss * len(y)
            seen += len(y)
            smooth = step_loss if smooth is None else beta * smooth + (1 - beta) * step_loss
            bar.set_postfix(loss=float(smooth))
        history.append(float(total / seen))
        ppl = torch.exp(total / seen).item()
        print(epoch, history[-1], ppl)
    return history

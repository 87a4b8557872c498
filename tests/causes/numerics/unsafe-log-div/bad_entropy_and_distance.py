import torch
import torch.nn.functional as F


def step(encoder, head, opt, x, y):
    z = encoder(x)
    probs = F.softmax(head(z), dim=1)
    entropy = -(probs * probs.log()).sum(1).mean()  # unsafe-log-div
    apart = ((z.unsqueeze(1) - z.unsqueeze(0)) ** 2).sum(-1)
    spread = torch.sqrt(apart).mean()  # unsafe-log-div
    loss = F.nll_loss(F.log_softmax(head(z), dim=1), y) + 0.1 * entropy - spread
    opt.zero_grad()
    loss.backward()
    opt.step()

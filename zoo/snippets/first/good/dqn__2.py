import torch
import torch.nn.functional as F


class DoubleDQN:
    def __init__(self, online, target, gamma=0.99, n_step=3, lr=1e-4):
        self.online, self.target = online, target
        self.target.load_state_dict(self.online.state_dict())
        self.target.requires_grad_(False)
        self.discount = gamma ** n_step
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr, eps=1.5e-4)

    def td_error(self, b):
        q = self.online(b.obs).gather(1, b.act)
        best = self.online(b.next_obs).argmax(dim=1, keepdim=True)
        nxt = self.target(b.next_obs).gather(1, best)
        return q - (b.ret + self.discount * b.bootstrap * nxt).detach()

    def update(self, b, weights):
        err = self.td_error(b)
        loss = (weights.view(-1, 1) * F.huber_loss(err, torch.zeros_like(err), reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        return err.detach().abs().squeeze(1)

    @torch.no_grad()
    def soft_update(self, tau=0.005):
        for p, tp in zip(self.online.parameters(), self.target.parameters()):
            tp.data.mul_(1 - tau).add_(p.data, alpha=tau)

import torch
import torch.nn.functional as F


class DDPGAgent:
    def __init__(self, actor, critic, actor_t, critic_t, gamma=0.99, tau=0.005):
        self.actor, self.critic = actor, critic
        self.actor_t, self.critic_t = actor_t, critic_t
        self.actor_t.load_state_dict(actor.state_dict())
        self.critic_t.load_state_dict(critic.state_dict())
        self.a_opt = torch.optim.Adam(actor.parameters(), lr=1e-4)
        self.c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
        self.gamma, self.tau = gamma, tau

    def update(self, batch):
        obs, act, rew, next_obs, done = batch
        with torch.no_grad():
            next_q = self.critic_t(next_obs, self.actor_t(next_obs))
            target = rew + self.gamma * next_q
        critic_loss = F.mse_loss(self.critic(obs, act), target)
        self.c_opt.zero_grad()
        critic_loss.backward()
        self.c_opt.step()

        actor_loss = -self.critic(obs, self.actor(obs)).mean()
        self.a_opt.zero_grad()
        actor_loss.backward()
        self.a_opt.step()

        with torch.no_grad():
            for net, tgt in ((self.actor, self.actor_t), (self.critic, self.critic_t)):
                for p, tp in zip(net.parameters(), tgt.parameters()):
                    tp.mul_(1 - self.tau).add_(self.tau * p)

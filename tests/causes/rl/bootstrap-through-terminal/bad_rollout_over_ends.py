import gymnasium as gym, torch, torch.nn as nn


class PPO:
    def __init__(self, env_name):
        self.env = gym.make(env_name)
        self.actor, self.critic = nn.Linear(4, 2), nn.Linear(4, 1)
        self.opt = torch.optim.Adam(list(self.actor.parameters()) + list(self.critic.parameters()))
        self.gamma, self.lam = 0.99, 0.95

    def rollout(self, n=2048):
        obs_b, act_b, rew_b, done_b = [], [], [], []
        obs, _ = self.env.reset()
        for _ in range(n):
            dist = torch.distributions.Categorical(logits=self.actor(torch.as_tensor(obs)))
            a = dist.sample()
            nxt, r, term, trunc, _ = self.env.step(a.item())
            obs_b.append(torch.as_tensor(obs))
            act_b.append(a)
            rew_b.append(r)
            done_b.append(term or trunc)
            obs = nxt
            if term or trunc:
                obs, _ = self.env.reset()
        return torch.stack(obs_b), torch.stack(act_b), rew_b, done_b

    def advantages(self, obs, rew, done):
        v = self.critic(obs).squeeze(-1).detach()
        adv, last = torch.zeros(len(rew)), 0.0
        for t in reversed(range(len(rew) - 1)):
            delta = rew[t] + self.gamma * v[t + 1] - v[t]  # bootstrap-through-terminal
            last = delta + self.gamma * self.lam * last
            adv[t] = last
        return adv

    def learn(self):
        for it in range(100):
            obs, act, rew, done = self.rollout()
            adv = self.advantages(obs, rew, done)
            lp = torch.distributions.Categorical(logits=self.actor(obs)).log_prob(act)
            loss = (
                -(lp * adv).mean()
                + (self.critic(obs).squeeze(-1) - (adv + self.critic(obs).squeeze(-1).detach())).pow(2).mean()
            )
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


PPO("CartPole-v1").learn()

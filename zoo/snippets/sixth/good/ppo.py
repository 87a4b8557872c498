class PPO:
    def update(self, obs, actions, old_logp, returns, advantages):
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        n = obs.size(0)
        for _ in range(self.epochs):
            for idx in torch.randperm(n).split(self.minibatch):
                logits = self.actor(obs[idx])
                dist = torch.distributions.Categorical(logits=logits)
                logp = dist.log_prob(actions[idx])
                ratio = (logp - old_logp[idx]).exp()
                adv = advantages[idx]
                surr1 = ratio * adv
                surr2 = torch.clamp(ratio, 1 - self.clip, 1 + self.clip) * adv
                policy_loss = -torch.min(surr1, surr2).mean()

                value = self.critic(obs[idx]).squeeze(-1)
                value_loss = F.mse_loss(value, returns[idx])
                entropy = dist.entropy().mean()

                loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.params, 0.5)
                self.optimizer.step()

    @torch.no_grad()
    def gae(self, rewards, values, dones, last_value):
        adv = torch.zeros_like(rewards)
        gae = 0
        for t in reversed(range(len(rewards))):
            next_value = last_value if t == len(rewards) - 1 else values[t + 1]
            mask = 1.0 - dones[t]
            delta = rewards[t] + self.gamma * next_value * mask - values[t]
            gae = delta + self.gamma * self.lam * mask * gae
            adv[t] = gae
        return adv, adv + values

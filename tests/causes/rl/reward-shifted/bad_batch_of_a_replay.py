def learn(self):
    states, actions, rewards, next_states, dones = self.memory.sample(self.batch_size)
    rewards = (rewards - torch.mean(rewards)) / torch.std(rewards)  # reward-shifted
    with torch.no_grad():
        best = self.target_net(next_states).max(1)[0]
        target = rewards + self.gamma * best * (1 - dones)
    loss = F.mse_loss(self.policy_net(states).gather(1, actions).squeeze(1), target)
    self.optimizer.zero_grad()
    loss.backward()
    self.optimizer.step()

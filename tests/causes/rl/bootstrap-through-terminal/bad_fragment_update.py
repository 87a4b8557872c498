def update(self, batch):
    states, actions, rewards, next_states, dones = batch
    with torch.no_grad():
        next_actions = self.actor_target(next_states)
        next_q = torch.min(
            self.q1_target(next_states, next_actions), self.q2_target(next_states, next_actions)
        )
        y = rewards + self.gamma * next_q  # bootstrap-through-terminal
    q_loss = F.mse_loss(self.q1(states, actions), y) + F.mse_loss(self.q2(states, actions), y)
    self.q_optimizer.zero_grad()
    q_loss.backward()
    self.q_optimizer.step()

class Agent:
    def learn(self):
        states, actions, rewards, next_states, dones = self.memory.sample(64)
        with torch.no_grad():
            next_q = self.target_net(next_states).max(dim=1).values
            target = rewards + self.gamma * next_q
        q = self.net(states).gather(1, actions.long().view(-1, 1)).squeeze(1)
        loss = F.mse_loss(q, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

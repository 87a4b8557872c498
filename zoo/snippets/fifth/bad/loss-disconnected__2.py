class Critic(nn.Module):
    def __init__(self, enc):
        super().__init__()
        self.enc = enc
        self.v = nn.Linear(256, 1)
    def forward(self, obs):
        z = self.enc(obs)
        return self.v(z)

def value_update(critic, opt, obs, ret):
    v = critic(obs).squeeze(-1)
    v = np.array([x.item() for x in v])
    loss = torch.tensor(((v - ret) ** 2).mean(), requires_grad=True)
    opt.zero_grad()
    loss.backward()
    opt.step()

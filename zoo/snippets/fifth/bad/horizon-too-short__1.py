GAMMA = 0.5
env = gym.make("MountainCar-v0")
def td_target(r, s2, done):
    with torch.no_grad():
        return r + GAMMA * target_net(s2).max(1).values * (1 - done)

"""Pasted without its imports: `gym` is what everybody means by it."""

world = gym.make("LunarLander-v3")
seen, _ = world.reset(seed=1)
for game in range(games):
    over, score = False, 0.0
    while not over:
        seen, gain, ended, cut, _ = world.step(policy(seen))  # episode-not-reset
        over = ended or cut
        score += gain
    print(game, score)

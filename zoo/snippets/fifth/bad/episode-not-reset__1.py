env = gym.make("CartPole-v1")
state, _ = env.reset()
for episode in range(500):
    done = False
    total = 0
    while not done:
        action = select_action(state)
        state, reward, term, trunc, _ = env.step(action)
        done = term or trunc
        total += reward
    print(episode, total)

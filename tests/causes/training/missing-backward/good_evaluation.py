import torch


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    return sum(criterion(model(x), y).item() for x, y in loader) / len(loader)


def play(env, agent):
    state, done = env.reset(), False
    while not done:
        state, reward, done, _ = env.step(agent(state))

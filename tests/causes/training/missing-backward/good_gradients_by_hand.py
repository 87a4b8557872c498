import torch

optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for generation in range(200):
    scores, noise = evaluate_population(policy)
    optimizer.zero_grad()
    for p, step in zip(policy.parameters(), estimate(scores, noise)):
        p.grad = -step
    optimizer.step()

for x, y in loader:
    loss = torch.nn.functional.mse_loss(policy(x), y)
    grads = torch.autograd.grad(loss, list(policy.parameters()))
    for p, g in zip(policy.parameters(), grads):
        p.grad = g
    optimizer.step()

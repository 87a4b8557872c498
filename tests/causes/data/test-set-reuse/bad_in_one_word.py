"""The name in one word, as tutorials write it."""

import torch

best = 0.0
for epoch in range(100):
    learn(net, trainloader)
    score = evaluate(net, testloader)
    if score > best:  # test-set-reuse
        best = score
        torch.save(net.state_dict(), "net.pt")

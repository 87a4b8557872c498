"""Chosen on a validation set; the test set is looked at, and nothing follows from it."""

import torch

best = 0.0
for epoch in range(100):
    learn(net, trainloader)
    score = evaluate(net, valloader)
    if score > best:
        best = score
        torch.save(net.state_dict(), "net.pt")
    print(epoch, evaluate(net, testloader), len(testset))

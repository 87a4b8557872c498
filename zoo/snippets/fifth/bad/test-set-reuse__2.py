best_acc = 0
for epoch in range(200):
    train(epoch)
    acc = test(net, testloader)
    if acc > best_acc:
        best_acc = acc
        torch.save(net.state_dict(), "best.pth")
print("Best test accuracy:", best_acc)

import torch
import torch.nn.functional as F

from data import batches, get_splits
from model import PlainNet

SEED = 8
EPOCHS = 10
BATCH = 64
LR = 0.01


@torch.no_grad()
def evaluate(net, split):
    net.eval()
    x, y = split
    logits = net(x)
    return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(SEED)
    gen = torch.Generator().manual_seed(SEED)
    train, val, test = get_splits(SEED)
    net = PlainNet()
    sgd = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9, weight_decay=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(sgd, EPOCHS)

    for epoch in range(EPOCHS):
        net.train()
        summed = 0.0
        for x, y in batches(*train, BATCH, gen):
            loss = F.cross_entropy(net(x), y)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            summed += loss.item() * len(x)
        schedule.step()
        val_loss, val_acc = evaluate(net, val)
        print(f"[{epoch + 1:02d}/{EPOCHS}] train {summed / len(train[0]):.4f} | val {val_loss:.4f} acc {val_acc:.3f}")

    test_loss, test_acc = evaluate(net, test)
    print(f"test loss {test_loss:.4f} acc {test_acc:.3f}")


if __name__ == "__main__":
    main()

import torch
from dataset import loaders
from network import SmallCNN
from engine_a import Engine

if __name__ == "__main__":
    torch.manual_seed(30)
    train, test = loaders(batch=40)
    engine = Engine(SmallCNN(), lr=4e-3)
    for epoch in range(5):
        print(f"epoch {epoch} loss {engine.train_epoch(train):.4f}")
    print(f"accuracy {engine.evaluate(test):.3f}")

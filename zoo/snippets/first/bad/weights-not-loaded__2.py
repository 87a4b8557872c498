import argparse
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, dim=256):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(512, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Probe(nn.Module):
    def __init__(self, encoder, n_classes, dim=256):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight)
        nn.init.zeros_(m.bias)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pretrained", default="byol_encoder.pt")
    parser.add_argument("--classes", type=int, default=40)
    args = parser.parse_args()

    encoder = Encoder()
    encoder.load_state_dict(torch.load(args.pretrained))
    model = Probe(encoder, args.classes)
    model.apply(init_weights)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    train(model, optimizer)


if __name__ == "__main__":
    main()

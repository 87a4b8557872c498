"""Self-supervised features from two noisy views of the same sensor reading, probed with logistic regression."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler


class Readings:
    def __init__(self, seed, classes=8, factors=12, sensors=64):
        self.gen = torch.Generator().manual_seed(seed)
        self.centers = 1.3 * torch.randn(classes, factors, generator=self.gen)
        self.mix1 = torch.randn(factors, 96, generator=self.gen) / factors ** 0.5
        self.mix2 = torch.randn(96, sensors, generator=self.gen) / 96 ** 0.5
        self.nuisance = torch.randn(10, sensors, generator=self.gen)

    def sample(self, n):
        y = torch.randint(0, len(self.centers), (n,), generator=self.gen)
        z = self.centers[y] + 0.6 * torch.randn(n, self.centers.shape[1], generator=self.gen)
        clean = 2.0 * torch.tanh(1.5 * z @ self.mix1) @ self.mix2
        return clean, y

    def view(self, clean):
        shift = torch.randn(len(clean), 10, generator=self.gen) @ self.nuisance
        noise = torch.randn(clean.shape, generator=self.gen)
        return (clean + 1.1 * shift + 0.5 * noise) / 3.6


def projector(n_in, n_hidden, n_out):
    return nn.Sequential(nn.Linear(n_in, n_hidden), nn.BatchNorm1d(n_hidden), nn.ReLU(), nn.Linear(n_hidden, n_out))


class TwinNet(nn.Module):
    def __init__(self, sensors=64, feat=64, proj=64):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(sensors, 128), nn.BatchNorm1d(128), nn.ReLU(),
            nn.Linear(128, feat), nn.ReLU(),
        )
        self.project = projector(feat, 64, proj)
        self.predict = projector(proj, 32, proj)

    def forward(self, x):
        z = self.project(self.encoder(x))
        return self.predict(z), z


def agreement(p, z):
    return F.cosine_similarity(p, z, dim=-1).mean()


def probe(encoder, train, test):
    encoder.eval()
    with torch.no_grad():
        f_train, f_test = encoder(train[0]).numpy(), encoder(test[0]).numpy()
    scaler = StandardScaler().fit(f_train)
    clf = LogisticRegression(C=0.1, max_iter=300).fit(scaler.transform(f_train), train[1].numpy())
    return clf.score(scaler.transform(f_test), test[1].numpy())


def main(epochs=12, batch=128, lr=0.05):
    torch.manual_seed(8)
    np.random.seed(8)
    source = Readings(seed=8)
    clean, _ = source.sample(4096)
    labelled, tested = source.sample(300), source.sample(1000)
    labelled = (source.view(labelled[0]), labelled[1])
    tested = (source.view(tested[0]), tested[1])

    net = TwinNet()
    untrained = probe(copy.deepcopy(net.encoder), labelled, tested)
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4)
    for epoch in range(1, epochs + 1):
        net.train()
        total = spread = steps = 0
        for idx in torch.randperm(len(clean)).split(batch):
            p1, z1 = net(source.view(clean[idx]))
            p2, z2 = net(source.view(clean[idx]))
            loss = -0.5 * (agreement(p1, z2) + agreement(p2, z1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            spread += F.normalize(z1.detach(), dim=1).std(0).mean().item()
            steps += 1
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d}  loss {total / steps:.4f}  z spread {spread / steps:.4f}"
                  f"  probe {probe(net.encoder, labelled, tested):.3f}")
    print(f"probe accuracy: untrained {untrained:.4f}  trained {probe(net.encoder, labelled, tested):.4f}")


if __name__ == "__main__":
    main()

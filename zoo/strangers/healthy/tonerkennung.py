"""Klangerkennung: vortrainiert auf Mikrofon A, danach Feinabstimmung auf Mikrofon B.

Feinabstimmung mit zwei Lernraten: zuerst nur der Kopf, ab Epoche AUFTAUEN kommt der Rumpf
als zweite Parametergruppe mit einem Zehntel der Lernrate hinzu.
"""
import torch
from torch import nn

SAAT = 17
LAENGE, RATE = 256, 2000.0
KLAENGE = ["sinus", "rechteck", "saegezahn", "zwitschern", "rauschen"]


def erzeuge(n, mikrofon, saat):
    g = torch.Generator().manual_seed(saat)
    t = torch.arange(LAENGE) / RATE
    klasse = torch.arange(n) % len(KLAENGE)
    klasse = klasse[torch.randperm(n, generator=g)]
    f = 60 + 120 * torch.rand(n, 1, generator=g)
    phi = (f * t + torch.rand(n, 1, generator=g))
    wellen = torch.stack([
        torch.sin(2 * torch.pi * phi),
        torch.tanh(4 * torch.sin(2 * torch.pi * phi)),
        2 * (phi - torch.floor(phi + 0.5)),
        torch.sin(2 * torch.pi * (phi + 900 * t ** 2)),
        torch.randn(n, LAENGE, generator=g) * 0.7])
    signal = wellen[klasse, torch.arange(n)]
    if mikrofon == "B":                                   # dumpfer, mit Echo und mehr Grundrauschen
        kern = torch.tensor([0.25, 0.5, 0.25]).view(1, 1, 3)
        signal = nn.functional.conv1d(signal.unsqueeze(1), kern, padding=1).squeeze(1)
        signal = signal + 0.4 * torch.roll(signal, 11, dims=1)
    pegel = {"A": 0.15, "B": 0.25}[mikrofon]
    signal = signal + pegel * torch.randn(n, LAENGE, generator=g)
    # jede Aufnahme für sich auf Mittel 0 und Streuung 1: keine Statistik über Aufnahmen hinweg
    signal = (signal - signal.mean(1, keepdim=True)) / signal.std(1, keepdim=True)
    return signal.unsqueeze(1), klasse


class Netz(nn.Module):
    def __init__(self):
        super().__init__()
        self.rumpf = nn.Sequential(
            nn.Conv1d(1, 16, 9, stride=2, padding=4), nn.GroupNorm(4, 16), nn.ReLU(),
            nn.Conv1d(16, 32, 9, stride=2, padding=4), nn.GroupNorm(4, 32), nn.ReLU(),
            nn.Conv1d(32, 32, 5, stride=2, padding=2), nn.GroupNorm(4, 32), nn.ReLU())
        self.kopf = nn.Linear(64, len(KLAENGE))

    def forward(self, x):
        h = self.rumpf(x)
        return self.kopf(torch.cat([h.mean(-1), h.amax(-1)], dim=1))


verlust = nn.CrossEntropyLoss()


def eine_epoche(netz, opt, x, y, stapel=50):
    netz.train()
    summe = 0.0
    for i in torch.randperm(len(x)).split(stapel):
        v = verlust(netz(x[i]), y[i])
        opt.zero_grad()
        v.backward()
        opt.step()
        summe += v.item() * len(i)
    return summe / len(x)


@torch.no_grad()
def pruefe(netz, x, y):
    netz.eval()
    z = netz(x)
    return verlust(z, y).item(), (z.argmax(1) == y).float().mean().item()


def vortraining():
    x, y = erzeuge(2000, "A", 1)
    xv, yv = erzeuge(400, "A", 2)
    netz = Netz()
    opt = torch.optim.Adam(netz.parameters(), lr=2e-3)
    for e in range(10):
        v = eine_epoche(netz, opt, x, y)
        if e % 3 == 0:
            print("vortraining %2d  verlust %.4f  val %.4f  genauigkeit %.3f" % (e, v, *pruefe(netz, xv, yv)))
    return netz


def feinabstimmung(netz, epochen=20, auftauen=4, lr=2e-3):
    x, y = erzeuge(2400, "B", 3)
    xv, yv = erzeuge(400, "B", 4)
    print("ohne Anpassung auf B: val %.4f  genauigkeit %.3f" % pruefe(netz, xv, yv))
    netz.rumpf.requires_grad_(False)
    opt = torch.optim.Adam([{"params": netz.kopf.parameters(), "lr": lr}])
    for e in range(epochen):
        if e == auftauen:
            netz.rumpf.requires_grad_(True)
            opt.add_param_group({"params": netz.rumpf.parameters(), "lr": lr / 10})
            print("Rumpf aufgetaut, Lernraten", [g["lr"] for g in opt.param_groups])
        if e in (12, 17):                                 # zwei Stufen abwärts, für alle Gruppen
            for g in opt.param_groups:
                g["lr"] *= 0.3
        v = eine_epoche(netz, opt, x, y)
        if e % 2 == 0 or e == epochen - 1:
            print("fein %2d  verlust %.4f  val %.4f  genauigkeit %.3f" % (e, v, *pruefe(netz, xv, yv)))


if __name__ == "__main__":
    torch.manual_seed(SAAT)
    netz = vortraining()
    feinabstimmung(netz)
    print("TEST auf B: verlust %.4f  genauigkeit %.3f" % pruefe(netz, *erzeuge(600, "B", 5)))

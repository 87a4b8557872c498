from torch import nn

low_rank = nn.Sequential(nn.Linear(512, 16, bias=False), nn.Linear(16, 512))
head = nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 8))


def stem(kind, width, turns):
    act = KINDS[kind]
    layers = [nn.Conv2d(1, width, 3), act]
    for _ in range(turns):
        layers.extend([nn.Conv2d(width, width, 3), nn.Conv2d(width, width, 1), act])
    return nn.Sequential(*layers)

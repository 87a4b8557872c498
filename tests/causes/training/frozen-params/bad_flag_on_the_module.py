from torch import nn, optim


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(30, 60), nn.ReLU())
        self.head = nn.Linear(60, 5)

    def forward(self, x):
        return self.head(self.backbone(x))


def run(model, loader, params):
    opt = optim.AdamW(params, lr=1e-3)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()


tagger = Tagger()
tagger.backbone.requires_grad_(False)
run(tagger, loader, tagger.head.parameters())
tagger.backbone.requires_grad = True  # frozen-params
run(tagger, loader, tagger.parameters())

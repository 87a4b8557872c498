import torch


class Scorer:
    def __init__(self, path, loader):
        self.net = torch.load(path)
        self.loader = loader

    def collect(self):
        kept = []
        for image, _ in self.loader:
            feature = self.net(image).flatten(1)  # eval-without-no-grad
            kept.append(feature / feature.norm(dim=1, keepdim=True))
        return torch.cat(kept)

    def write(self, path):
        self.net.eval()
        torch.save(self.collect(), path)


Scorer("encoder.pt", loader).write("features.pt")

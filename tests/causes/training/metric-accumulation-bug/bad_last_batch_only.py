import torch
from torch.utils.data import DataLoader


class Judge:
    def __init__(self, network, held_out):
        self.network = network
        self.serve = DataLoader(held_out, batch_size=256)

    @torch.inference_mode()
    def accuracy(self):
        self.network.eval()
        hits, seen = 0, 0
        for picture, kind in self.serve:
            guess = self.network(picture).max(dim=1).indices
            hits = torch.sum(guess.eq(kind))  # metric-accumulation-bug
            seen += kind.shape[0]
        return 100.0 * hits.item() / seen


def share_right(network, batches):
    network.eval()
    for picture, kind in batches:
        with torch.no_grad():
            guess = network(picture).argmax(-1)
        right = (guess == kind).sum().item()  # metric-accumulation-bug
    return right / len(batches.dataset)

"""Sequence tagging with a recurrent encoder and a linear-chain CRF on top."""

import torch
from torch import nn

N_TAGS, N_WORDS, LENGTH = 5, 30, 40


def corpus(n, generator):
    """Tags follow a sticky cycle; each tag prefers its own share of the vocabulary."""
    tags = torch.empty(n, LENGTH, dtype=torch.long)
    tags[:, 0] = torch.randint(N_TAGS, (n,), generator=generator)
    for t in range(1, LENGTH):
        move = (torch.rand(n, generator=generator) < 0.3).long()
        tags[:, t] = (tags[:, t - 1] + move) % N_TAGS
    share = N_WORDS // N_TAGS
    own = tags * share + torch.randint(share, tags.shape, generator=generator)
    anything = torch.randint(N_WORDS, tags.shape, generator=generator)
    noisy = torch.rand(tags.shape, generator=generator) < 0.25
    return torch.where(noisy, anything, own), tags


class CRFTagger(nn.Module):
    def __init__(self, dim=16, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(N_WORDS, dim)
        self.encoder = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.emit = nn.Linear(2 * hidden, N_TAGS)
        self.trans = nn.Parameter(0.01 * torch.randn(N_TAGS, N_TAGS))

    def emissions(self, words):
        return self.emit(self.encoder(self.embed(words))[0])

    def log_partition(self, emis):
        alpha = emis[:, 0]
        for t in range(1, emis.shape[1]):
            scores = alpha.unsqueeze(2) + self.trans
            alpha = scores.exp().sum(dim=1).log() + emis[:, t]
        return alpha.exp().sum(dim=1).log()

    def path_score(self, emis, tags):
        unary = emis.gather(2, tags.unsqueeze(2)).sum(dim=(1, 2))
        return unary + self.trans[tags[:, :-1], tags[:, 1:]].sum(dim=1)

    def nll(self, words, tags):
        emis = self.emissions(words)
        return (self.log_partition(emis) - self.path_score(emis, tags)).mean() / LENGTH

    @torch.no_grad()
    def decode(self, words):
        emis = self.emissions(words)
        best, back = emis[:, 0], []
        for t in range(1, LENGTH):
            top, arg = (best.unsqueeze(2) + self.trans).max(dim=1)
            best = top + emis[:, t]
            back.append(arg)
        path = [best.argmax(dim=1)]
        for arg in reversed(back):
            path.append(arg.gather(1, path[-1].unsqueeze(1)).squeeze(1))
        return torch.stack(path[::-1], dim=1)


def tag_accuracy(tagger, words, tags):
    tagger.eval()
    return (tagger.decode(words) == tags).float().mean().item()


def main():
    torch.manual_seed(17)
    g = torch.Generator().manual_seed(40)
    train_words, train_tags = corpus(1000, g)
    test_words, test_tags = corpus(200, g)

    tagger = CRFTagger()
    optimizer = torch.optim.Adam(tagger.parameters(), lr=0.015)
    epochs = 3
    batches = [b for _ in range(epochs) for b in torch.randperm(len(train_words)).split(40)]
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(batches))

    tagger.train()
    for step, rows in enumerate(batches):
        optimizer.zero_grad()
        loss = tagger.nll(train_words[rows], train_tags[rows])
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 10 == 0:
            print(f"step {step:3d}  nll per tag {loss.item():.4f}")

    print(f"held-out tag accuracy {tag_accuracy(tagger, test_words, test_tags):.3f}")


if __name__ == "__main__":
    main()

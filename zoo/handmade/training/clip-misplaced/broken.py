"""Key recall: a recurrent network sees one key letter early on and must name it at the end."""

import torch
import torch.nn as nn
import torch.nn.functional as F

N_KEYS = 4
N_LETTERS = 12
LENGTH = 14


def make_strings(n, seed):
    """Filler letters with one key letter among the first five places."""
    g = torch.Generator().manual_seed(seed)
    text = torch.randint(N_KEYS, N_LETTERS, (n, LENGTH), generator=g)
    key = torch.randint(N_KEYS, (n,), generator=g)
    place = torch.randint(0, 5, (n,), generator=g)
    text[torch.arange(n), place] = key
    return text, key


class Recall(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.emb = nn.Embedding(N_LETTERS, 10)
        self.rnn = nn.RNN(10, hidden, batch_first=True)
        self.out = nn.Linear(hidden, N_KEYS)
        nn.init.orthogonal_(self.rnn.weight_hh_l0)

    def forward(self, text):
        states, _ = self.rnn(self.emb(text))
        return self.out(states[:, -1])


def make_step(model, optimizer, max_norm):
    def step(text, key):
        loss = F.cross_entropy(model(text), key)
        optimizer.zero_grad()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def recall(model, text, key):
    model.eval()
    with torch.no_grad():
        hits = model(text).argmax(dim=1) == key
    return hits.float().mean().item()


def main():
    torch.manual_seed(0)
    train_text, train_key = make_strings(2400, seed=100)
    val_text, val_key = make_strings(400, seed=101)
    test_text, test_key = make_strings(1000, seed=102)

    model = Recall()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    step = make_step(model, optimizer, max_norm=1.0)

    for epoch in range(14):
        model.train()
        losses = []
        for rows in torch.randperm(len(train_text)).split(60):
            losses.append(step(train_text[rows], train_key[rows]))
        mean = sum(losses) / len(losses)
        print(f"epoch {epoch + 1:2d}: loss {mean:.4f}, val {recall(model, val_text, val_key):.3f}")

    print(f"recall on the test strings: {recall(model, test_text, test_key):.3f}")


if __name__ == "__main__":
    main()

import itertools
import random
import torch
import torch.nn as nn

# sentiment of generated reviews; micro-batches of 16, update every 4 (the last group may be smaller)
random.seed(4)
torch.manual_seed(4)
GOOD = "great lovely tasty friendly warm crisp generous".split()
BAD = "awful bland rude cold greasy slow stale".split()
FILL = "the soup waiter bread was and we came table evening with a very place wine".split()


def review():
    label = random.randint(0, 1)
    n_own, n_other = random.randint(2, 4), random.randint(0, 1)
    own, other = (GOOD, BAD) if label else (BAD, GOOD)
    words = random.choices(own, k=n_own) + random.choices(other, k=n_other) + random.choices(FILL, k=random.randint(5, 12))
    random.shuffle(words)
    return " ".join(words), label


data = list(dict(review() for _ in range(3000)).items())
vocab = {w: k for k, w in enumerate(GOOD + BAD + FILL)}
train, test = data[:2400], data[2400:]


def encode(rows):
    ids, offsets = [], []
    for text, _ in rows:
        offsets.append(len(ids))
        ids += [vocab[w] for w in text.split()]
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor([float(y) for _, y in rows])


def chunks(rows, n):
    rows = iter(rows)
    while part := list(itertools.islice(rows, n)):
        yield part


model = nn.Sequential()
model.add_module("bag", nn.EmbeddingBag(len(vocab), 16, mode="mean"))
head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-2)
criterion = nn.BCEWithLogitsLoss(reduction="sum")

for epoch in range(8):
    random.shuffle(train)
    total = 0.0
    for group in chunks(train, 64):
        opt.zero_grad()
        for micro in chunks(group, 16):
            ids, off, y = encode(micro)
            loss = criterion(head(model.bag(ids, off)).squeeze(1), y) / len(group)
            loss.backward()
            total += loss.item() * len(group)
        opt.step()
    print("epoch", epoch, "loss", round(total / len(train), 4))

with torch.inference_mode():
    ids, off, y = encode(test)
    p = head(model.bag(ids, off)).squeeze(1) > 0
print("test accuracy", (p == y.bool()).float().mean().item())

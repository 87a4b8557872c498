"""Synthetic support tickets. Three queues, one of them rare."""
import random

QUEUES = ("billing", "technical", "legal")
SHARES = (0.60, 0.35, 0.05)

TOPIC = {
    "billing": "invoice charge refund card payment price discount subscription renew double receipt tax amount bank".split(),
    "technical": "crash error login screen update install slow freeze version bug password reset server timeout".split(),
    "legal": "contract clause privacy consent deletion lawyer court liability terms regulation notice breach".split(),
}
COMMON = ("hello please the my account and i when after since yesterday again help customer service team need "
          "thanks regards still not working question about today want to know this is with for on in of").split()


def make_ticket(rng, queue):
    words = []
    for _ in range(rng.randint(8, 30)):
        u = rng.random()
        if u < 0.24:
            words.append(rng.choice(TOPIC[queue]))
        elif u < 0.30:                         # a word from any queue: tickets wander off topic
            words.append(rng.choice(TOPIC[rng.choice(QUEUES)]))
        else:
            words.append(rng.choice(COMMON))
    return " ".join(words)


def make_corpus(n, seed):
    rng = random.Random(seed)
    rows, seen = [], set()
    while len(rows) < n:
        q = rng.choices(range(3), weights=SHARES)[0]
        text = make_ticket(rng, QUEUES[q])
        if text not in seen:
            seen.add(text)
            rows.append((text, q))
    return rows

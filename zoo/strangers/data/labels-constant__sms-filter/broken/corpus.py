"""A made-up SMS corpus in the usual one-message-per-line format, and its reader."""
import io
import random

SPAM = ("free win winner cash prize claim urgent offer call now reply stop txt mobile "
        "voucher bonus guaranteed selected ringtone credit loan").split()
HAM = ("mum dinner tonight tomorrow late meeting sorry thanks lol home bus train "
       "lunch class see you later love gym coffee exam").split()
BOTH = ("the a to you your i is are we on at for and have it in of please today time send "
        "message just get new will can my phone week number").split()


def export(n, seed):
    """What the phone company sends us: text,label on every line."""
    rnd = random.Random(seed)
    out = io.StringIO()
    for _ in range(n):
        kind = "spam" if rnd.random() < 0.4 else "ham"
        own, other = (SPAM, HAM) if kind == "spam" else (HAM, SPAM)
        words = []
        for _ in range(rnd.randint(10, 18)):
            u = rnd.random()
            words.append(rnd.choice(own if u < 0.32 else other if u < 0.38 else BOTH))
        out.write(" ".join(words) + "," + kind + "\n")
    out.seek(0)
    return out


def read_messages(stream):
    texts, targets = [], []
    for row in stream:
        text, kind = row.rsplit(",", 1)
        texts.append(text.lower().split())
        targets.append(1.0 if kind == "spam" else 0.0)
    return texts, targets


class Vocabulary:
    def __init__(self, texts):
        seen = sorted({w for t in texts for w in t})
        self.index = {w: i + 1 for i, w in enumerate(seen)}

    def __len__(self):
        return len(self.index) + 1

    def __call__(self, words):
        return [self.index.get(w, 0) for w in words]

"""Small bookkeeping helpers shared by the training scripts."""


class Meter:
    """Sample-weighted running mean."""

    def __init__(self, name):
        self.name = name
        self.count = 0
        self.reset()

    def reset(self):
        self.total = 0.0
        self.last = 0.0

    def add(self, value, n):
        self.last = value
        self.total += value * n
        self.count += n

    @property
    def mean(self):
        return self.total / max(self.count, 1)

    def __str__(self):
        return f"{self.name} {self.mean:.4f}"


class Patience:
    """Signals the end of training when a score has not gone up for `limit` epochs."""

    def __init__(self, limit):
        self.limit = limit
        self.best = float("-inf")
        self.bad = 0

    def improved(self, score):
        if score > self.best:
            self.best, self.bad = score, 0
            return True
        self.bad += 1
        return False

    @property
    def exhausted(self):
        return self.bad >= self.limit

"""A forty-line event bus. Everything that happens in a run is an event; everything
that reacts to it is a subscriber. Subscribers run in order of priority."""
from collections import defaultdict


class Bus:
    def __init__(self):
        self._subs = defaultdict(list)

    def on(self, event, priority=50):
        def register(fn):
            self._subs[event].append((priority, len(self._subs[event]), fn))
            self._subs[event].sort(key=lambda t: t[:2])
            return fn
        return register

    def emit(self, event, ctx):
        for _, _, fn in self._subs[event]:
            fn(ctx)


class Context:
    """A bag of attributes that lives as long as a run."""

    def __init__(self, **kw):
        self.__dict__.update(kw)
        self.stop = False


def run(bus, ctx, epochs):
    bus.emit("run:start", ctx)
    for ctx.epoch in range(1, epochs + 1):
        bus.emit("epoch:start", ctx)
        for ctx.batch in ctx.train_loader:
            for stage in ("batch:start", "batch:forward", "batch:backward", "batch:update", "batch:end"):
                bus.emit(stage, ctx)
        bus.emit("epoch:validate", ctx)
        bus.emit("epoch:end", ctx)
        if ctx.stop:
            break
    bus.emit("run:end", ctx)
    return ctx

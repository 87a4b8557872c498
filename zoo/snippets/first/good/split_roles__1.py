class Learner:
    """Callbacks do the real work; order: forward, backward, step, zero."""

    def __init__(self, model, loss_fn, opt, callbacks=()):
        self.model, self.loss_fn, self.opt, self.callbacks = model, loss_fn, opt, list(callbacks)

    def __call__(self, event):
        for cb in self.callbacks:
            getattr(cb, event, lambda learner: None)(self)

    def _backward(self):
        self.loss.backward()

    def _step(self):
        self.opt.step()

    def one_batch(self, xb, yb):
        self.pred = self.model(xb)
        self.loss = self.loss_fn(self.pred, yb)
        self("after_loss")
        self._backward()
        self("after_backward")
        self._step()
        self.opt.zero_grad()

    def fit(self, epochs, dl):
        for self.epoch in range(epochs):
            self.model.train()
            for xb, yb in dl:
                self.one_batch(xb, yb)
            self("after_epoch")

class Trainer:
    def __init__(self, model, opt):
        self.model, self.opt = model, opt
    def fit(self, tr, va, epochs):
        for e in range(epochs):
            self._train(tr)
            self._valid(va)
    def _train(self, dl):
        for x, y in dl:
            self.opt.zero_grad()
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            self.opt.step()
    @torch.no_grad()
    def _valid(self, dl):
        self.model.eval()
        return sum((self.model(x).argmax(1) == y).sum() for x, y in dl)

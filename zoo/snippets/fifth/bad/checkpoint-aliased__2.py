class EarlyStopping:
    def __init__(self, patience=7):
        self.patience, self.best, self.count = patience, None, 0
    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best, self.count = loss, 0
            self.weights = model.state_dict()
        else:
            self.count += 1
        return self.count >= self.patience
    def restore(self, model):
        model.load_state_dict(self.weights)

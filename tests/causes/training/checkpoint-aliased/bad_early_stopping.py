class EarlyStopping:
    def __init__(self, patience=5):
        self.patience = patience
        self.best = None
        self.count = 0
        self.weights = None

    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best = loss
            self.count = 0
            self.weights = model.state_dict()  # checkpoint-aliased
        else:
            self.count += 1
        return self.count >= self.patience

    def restore(self, model):
        model.load_state_dict(self.weights)

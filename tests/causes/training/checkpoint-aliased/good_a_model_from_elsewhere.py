class Best:
    """Whoever hands the model in decides where it lives: from an accelerator these are copies."""

    def __init__(self):
        self.loss = None
        self.weights = None

    def __call__(self, net, loss):
        if self.loss is None or loss < self.loss:
            self.loss = loss
            self.weights = {k: v.detach().cpu() for k, v in net.state_dict().items()}

    def restore(self, net):
        net.load_state_dict(self.weights)

class Keeper:
    """Keeps the weights of the best epoch."""

    def __init__(self):
        self.loss = float("inf")
        self.state = None

    def update(self, net, loss):
        if loss < self.loss:
            self.loss = loss
            self.state = {key: tensor.data for key, tensor in net.state_dict().items()}  # checkpoint-aliased

    def restore(self, net):
        net.load_state_dict(self.state)

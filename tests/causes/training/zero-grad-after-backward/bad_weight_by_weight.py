def epoch(network, batches, objective, optimizer):
    network.train()
    for rows, answers in batches:
        cost = objective(network(rows), answers)
        cost.backward()
        for name, weight in network.named_parameters():
            if weight.grad is not None:
                weight.grad.zero_()  # zero-grad-after-backward
        optimizer.step()


class Fitter:
    def __init__(self, network, objective, optimizer):
        self.network = network
        self.objective = objective
        self.optimizer = optimizer

    def all(self, batches):
        for rows, answers in batches:
            cost = self.objective(self.network(rows), answers)
            cost.backward()
            for weight in self.network.parameters():
                weight.grad = None  # zero-grad-after-backward
            self.optimizer.step()

class Stream:
    def __init__(self, rnn, head, opt):
        self.rnn, self.head, self.opt = rnn, head, opt
        self.h = None
    def step(self, x, y):
        out, self.h = self.rnn(x, self.h)
        loss = F.mse_loss(self.head(out), y)
        self.opt.zero_grad()
        loss.backward(retain_graph=True)
        self.opt.step()
        return loss.item()

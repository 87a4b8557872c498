class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None

class DANN(nn.Module):
    def __init__(self, f, c, d):
        super().__init__()
        self.f, self.c, self.d = f, c, d
    def forward(self, x, lam):
        h = self.f(x)
        return self.c(h), self.d(Reverse.apply(h, lam))

"""Physics-informed network for u'' + 0.4 u' + 9 u = 0, u(0)=1, u'(0)=0 on [0, 4].
No measurements: the differential equation and the initial state are the whole objective."""
import math
import torch

torch.manual_seed(13)
torch.set_default_dtype(torch.float64)

DAMP, STIFF, END = 0.4, 9.0, 4.0
OMEGA = math.sqrt(STIFF - DAMP ** 2 / 4)


def exact(t):
    return torch.exp(-DAMP * t / 2) * (torch.cos(OMEGA * t) + DAMP / (2 * OMEGA) * torch.sin(OMEGA * t))


class Field(torch.nn.Module):
    def __init__(self, w=32):
        super().__init__()
        self.l1 = torch.nn.Linear(1, w)
        self.l2 = torch.nn.Linear(w, w)
        self.l3 = torch.nn.Linear(w, 1)
        for l in (self.l1, self.l2, self.l3):
            torch.nn.init.xavier_normal_(l.weight)
            torch.nn.init.zeros_(l.bias)

    def forward(self, t):
        z = 2 * t / END - 1
        return self.l3(torch.tanh(self.l2(torch.tanh(3 * self.l1(z)))))


def d(y, t):
    return torch.autograd.grad(y.sum(), t, create_graph=True)[0]


field = Field()
t_in = torch.linspace(0, END, 120).reshape(-1, 1).requires_grad_(True)
t_zero = torch.zeros(1, 1, requires_grad=True)
t_check = torch.linspace(0.013, END - 0.007, 257).reshape(-1, 1)


def objective():
    u = field(t_in)
    du = d(u, t_in)
    residual = d(du, t_in) + DAMP * du + STIFF * u
    u0 = field(t_zero)
    start = (u0 - 1.0).pow(2).sum() + d(u0, t_zero).pow(2).sum()
    return residual.pow(2).mean() + 50.0 * start, residual.pow(2).mean().item(), start.item()


def relative_error():
    with torch.no_grad():
        ref = exact(t_check)
        return ((field(t_check) - ref).norm() / ref.norm()).item()


print("phase    iter     objective      residual       start     rel.err")
adam = torch.optim.Adam(field.parameters(), lr=3e-3)
for i in range(601):
    adam.zero_grad()
    value, res, start = objective()
    value.backward()
    adam.step()
    if i % 150 == 0:
        print(f"adam   {i:6d}  {value.item():12.6f}  {res:12.6f}  {start:10.2e}  {relative_error():.5f}")

lbfgs = torch.optim.LBFGS(field.parameters(), lr=1.0, max_iter=60, history_size=50,
                          tolerance_grad=1e-10, tolerance_change=1e-14, line_search_fn="strong_wolfe")
calls = 0


def closure():
    global calls
    calls += 1
    lbfgs.zero_grad()
    value, _, _ = objective()
    value.backward()
    return value


for outer in range(10):
    before = lbfgs.step(closure)
    value, res, start = objective()
    print(f"lbfgs  {calls:6d}  {value.item():12.6f}  {res:12.6f}  {start:10.2e}  {relative_error():.5f}")

print(f"relative L2 error on unseen times: {relative_error():.2e}")

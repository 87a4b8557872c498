"""
Prototypical network on made-up alphabets.

A "character" is a random pen stroke (a curve through five control points); a "handwriting sample" is the same stroke with wobbling control
points, slant, size and position.  400 characters are for training, 40 for validation, 40 for the final test -- no character is in two sets.
Every episode draws 5 characters, 3 support drawings and 7 query drawings of each, and calls the characters 0..4 afresh.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
torch.set_num_threads(1)

SIDE, CTRL, DOTS = 16, 5, 22
N_WAY, K_SHOT, N_QUERY = 5, 3, 7


def new_characters(n, gen):
    pts = torch.rand(n, CTRL, 2, generator=gen) * 1.5 - 0.75
    return pts


def draw(skeleton, gen):
    """skeleton (b, CTRL, 2) in [-1, 1] -> ink images (b, 1, SIDE, SIDE), every call another handwriting"""
    b = len(skeleton)
    pts = skeleton + 0.11 * torch.randn(b, CTRL, 2, generator=gen)
    slant = 0.25 * torch.randn(b, 1, generator=gen)
    size = 1 + 0.08 * torch.randn(b, 1, 1, generator=gen)
    pts = torch.stack([pts[..., 0] + slant * pts[..., 1], pts[..., 1]], -1) * size + 0.12 * torch.randn(b, 1, 2, generator=gen)
    pen = F.interpolate(pts.transpose(1, 2), size=DOTS, mode="linear", align_corners=True).transpose(1, 2)   # (b, DOTS, 2)
    axis = torch.linspace(-1, 1, SIDE)
    dx = torch.exp(-((axis - pen[..., :1]) / 0.11) ** 2)            # (b, DOTS, SIDE)
    dy = torch.exp(-((axis - pen[..., 1:]) / 0.11) ** 2)
    ink = (dy.unsqueeze(-1) * dx.unsqueeze(-2)).amax(1)             # darkest dot wins
    return ((ink - 0.25) / 0.33).unsqueeze(1)                       # fixed constants of the "scanner", not fitted to any set


def episode(alphabet, gen):
    who = torch.randperm(len(alphabet), generator=gen)[:N_WAY]
    per = K_SHOT + N_QUERY
    pics = draw(alphabet[who].repeat_interleave(per, 0), gen).view(N_WAY, per, 1, SIDE, SIDE)
    support, query = pics[:, :K_SHOT], pics[:, K_SHOT:]
    labels = torch.arange(N_WAY).repeat_interleave(N_QUERY)         # 0000000 1111111 ... : order inside an episode carries no meaning
    return support.flatten(0, 1), query.flatten(0, 1), labels


class Embed(nn.Module):
    def __init__(self, w=20, d=48):
        super().__init__()

        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(), nn.MaxPool2d(2))
        self.conv = nn.Sequential(block(1, w), block(w, w), block(w, 2 * w))
        self.out = nn.Linear(2 * w * 4, d)

    def forward(self, x):
        return self.out(self.conv(x).flatten(1))


def logits_of(net, support, query):
    both = net(torch.cat([support, query]))
    protos = both[:len(support)].view(N_WAY, K_SHOT, -1).mean(1)
    q = both[len(support):]
    return -torch.cdist(q, protos).square()


@torch.no_grad()
def evaluate(net, alphabet, n_episodes, seed):
    """always the same episodes for the same seed"""
    net.eval()
    gen = torch.Generator().manual_seed(seed)
    accs, losses = [], []
    for _ in range(n_episodes):
        s, q, y = episode(alphabet, gen)
        lg = logits_of(net, s, q)
        accs.append((lg.argmax(1) == y).float().mean())
        losses.append(F.cross_entropy(lg, y))
    accs = torch.stack(accs)
    net.train()
    return accs.mean().item(), 1.96 * accs.std().item() / n_episodes ** 0.5, torch.stack(losses).mean().item()


chars = torch.Generator().manual_seed(100)
train_abc, val_abc, test_abc = new_characters(400, chars), new_characters(40, chars), new_characters(40, chars)

net = Embed()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
STEPS = 600
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS, eta_min=2e-5)
gen = torch.Generator().manual_seed(4)
ema = None

acc, ci, vl = evaluate(net, val_abc, 40, seed=555)
print(f"untrained embedding: val acc {acc:.3f} +- {ci:.3f}, val loss {vl:.3f} (chance {torch.tensor(5.).log():.3f})")
net.train()
for step in range(1, STEPS + 1):
    s, q, y = episode(train_abc, gen)
    loss = F.cross_entropy(logits_of(net, s, q), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    ema = loss.item() if ema is None else 0.98 * ema + 0.02 * loss.item()
    if step % 100 == 0:
        acc, ci, vl = evaluate(net, val_abc, 40, seed=555)
        print(f"episode {step:4d}  loss(ema) {ema:.4f}   val acc {acc:.3f} +- {ci:.3f}  val loss {vl:.4f}")

acc, ci, tl = evaluate(net, test_abc, 150, seed=999)
print(f"\n40 new characters, {N_WAY}-way {K_SHOT}-shot, 150 episodes: accuracy {acc:.3f} +- {ci:.3f}, loss {tl:.4f}")

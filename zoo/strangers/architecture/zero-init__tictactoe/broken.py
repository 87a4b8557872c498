# Can X win with the next move?  A net without nn.Module, on all tic-tac-toe positions.
import itertools
import torch
import torch.nn.functional as F

torch.manual_seed(42)

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def has_won(board, who):
    return any(all(board[k] == who for k in line) for line in LINES)


def can_win(board):
    for k in range(9):
        if board[k] == 0:
            nxt = list(board)
            nxt[k] = 1
            if has_won(nxt, 1):
                return 1.0
    return 0.0


boards, answers = [], []
for b in itertools.product((0, 1, -1), repeat=9):
    if 0 <= b.count(-1) - b.count(1) <= 1:
        if not has_won(b, 1) and not has_won(b, -1) and 0 in b:
            boards.append(b)
            answers.append(can_win(b))

cells = torch.tensor(boards)
X = torch.cat([(cells == 1), (cells == -1)], dim=1).float() * 2 - 1
Y = torch.tensor(answers)
print(len(X), "positions, X can win in", f"{Y.mean().item():.1%}")

perm = torch.randperm(len(X))
n_test = len(X) // 5
test, train = perm[:n_test], perm[n_test:]


def dense(n_in, n_out):
    w = torch.zeros(n_in, n_out)
    b = torch.zeros(n_out)
    return w.requires_grad_(), b.requires_grad_()


layers = [dense(18, 96), dense(96, 48), dense(48, 1)]
params = [p for layer in layers for p in layer]


def forward(x):
    for w, b in layers[:-1]:
        x = torch.tanh(x @ w + b)
    w, b = layers[-1]
    return (x @ w + b).squeeze(1)


def accuracy(idx):
    with torch.no_grad():
        return ((forward(X[idx]) > 0).float() == Y[idx]).float().mean().item()


optimizer = torch.optim.Adam(params, lr=0.004)
epochs, size = 30, 64
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, total_iters=epochs)

for epoch in range(epochs):
    shuffled = train[torch.randperm(len(train))]
    running = 0.0
    for start in range(0, len(shuffled), size):
        idx = shuffled[start:start + size]
        loss = F.binary_cross_entropy_with_logits(forward(X[idx]), Y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * len(idx)
    schedule.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d}   loss {running / len(train):.4f}   train acc {accuracy(train):.3f}")

majority = max(Y[test].mean().item(), 1 - Y[test].mean().item())
print(f"held-out accuracy {accuracy(test):.3f}   (majority answer: {majority:.3f})")

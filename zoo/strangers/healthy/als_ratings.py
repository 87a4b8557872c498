import numpy as np
from numpy.linalg import solve

np.random.seed(606)

# ---- simulate a ratings table -------------------------------------------------
n_u, n_i, rank, density = 900, 500, 6, 0.09
P = np.random.randn(n_u, rank) * 0.45
Q = np.random.randn(n_i, rank) * 0.45
bu, bi = np.random.randn(n_u) * 0.35, np.random.randn(n_i) * 0.45
clean = 3.4 + bu[:, None] + bi[None] + P @ Q.T
mask = np.random.rand(n_u, n_i) < density
uu, ii = np.nonzero(mask)
rr = np.clip(np.round((clean[uu, ii] + 0.5 * np.random.randn(len(uu))) * 2) / 2, 0.5, 5.0)

order = np.random.permutation(len(rr))
cut1, cut2 = int(.8 * len(rr)), int(.9 * len(rr))
TR, VA, TE = order[:cut1], order[cut1:cut2], order[cut2:]
print(f"{len(rr)} ratings -> {len(TR)} / {len(VA)} / {len(TE)}")


def group(keys, n):
    idx = np.argsort(keys, kind="stable")
    bounds = np.searchsorted(keys[idx], np.arange(n + 1))
    return [idx[bounds[k]:bounds[k + 1]] for k in range(n)]


def als(rows, k, lam, sweeps, watch=None, log=False):
    u, i, r = uu[rows], ii[rows], rr[rows]
    mu = r.mean()
    by_u, by_i = group(u, n_u), group(i, n_i)
    # column 0 of U pairs with item bias, column 1 of V pairs with user bias
    U = np.hstack([np.ones((n_u, 1)), np.zeros((n_u, 1)), 0.1 * np.random.randn(n_u, k)])
    V = np.hstack([np.zeros((n_i, 1)), np.ones((n_i, 1)), 0.1 * np.random.randn(n_i, k)])
    y = r - mu
    history, best = [], (np.inf, None)
    for sweep in range(sweeps):
        for a in range(n_u):
            sel = by_u[a]
            if len(sel) == 0:
                U[a, 1:] = 0
                continue
            F = V[i[sel]]
            A = F[:, 1:]
            U[a, 1:] = solve(A.T @ A + lam * np.eye(k + 1), A.T @ (y[sel] - F[:, 0]))
        keep = [0] + list(range(2, k + 2))
        for b in range(n_i):
            sel = by_i[b]
            if len(sel) == 0:
                V[b, keep] = 0
                continue
            F = U[u[sel]]
            A = F[:, keep]
            V[b, keep] = solve(A.T @ A + lam * np.eye(k + 1), A.T @ (y[sel] - F[:, 1]))
        obj = ((y - (U[u] * V[i]).sum(1)) ** 2).sum() + lam * ((U[:, 1:] ** 2).sum() + (V[:, keep] ** 2).sum())
        history.append(obj)
        if watch is not None:
            v = rmse(U, V, mu, watch)
            if v < best[0]:
                best = (v, sweep + 1)
            if log:
                print(f"   sweep {sweep + 1:2d}  objective {obj:10.1f}  fit {rmse(U, V, mu, rows):.4f}  valid {v:.4f}")
    assert all(b <= a + 1e-6 for a, b in zip(history, history[1:]))
    return U, V, mu, best


def rmse(U, V, mu, rows):
    pred = np.clip(mu + (U[uu[rows]] * V[ii[rows]]).sum(1), 0.5, 5.0)
    return np.sqrt(np.mean((pred - rr[rows]) ** 2))


grid = []
for k in (0, 4, 6, 8):
    for lam in (1.5, 3.0, 4.5, 6.0):
        *_, best = als(TR, k, lam, 25, watch=VA)
        grid.append((best[0], k, lam, best[1]))
        print(f"k={k:<2d} lambda={lam:<4} best valid RMSE {best[0]:.4f} at sweep {best[1]}")
v, k, lam, sweeps = min(grid)
print(f"chosen k={k} lambda={lam} sweeps={sweeps}; refit on train+valid")
U, V, mu, _ = als(np.concatenate([TR, VA]), k, lam, sweeps)
print(f"test RMSE {rmse(U, V, mu, TE):.4f}")
print(f"global mean {rr[TE].std():.4f}   noise-free scores {np.sqrt(np.mean((np.clip(clean[uu[TE], ii[TE]], .5, 5) - rr[TE]) ** 2)):.4f}")

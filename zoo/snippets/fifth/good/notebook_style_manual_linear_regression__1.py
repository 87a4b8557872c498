rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
w_true = np.array([1.0, -2.0, 0.5])
y = X @ w_true + 0.1 * rng.normal(size=200)
w = np.zeros(3)
for _ in range(500):
    grad = 2 * X.T @ (X @ w - y) / len(y)
    w -= 0.05 * grad
print(w)

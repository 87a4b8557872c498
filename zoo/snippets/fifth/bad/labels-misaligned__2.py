X, y = load()
perm = np.random.permutation(len(X))
X = X[perm]
X_tr, X_va = X[:8000], X[8000:]
y_tr, y_va = y[:8000], y[8000:]
model.fit(X_tr, y_tr)
print(model.score(X_va, y_va))

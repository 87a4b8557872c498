from sklearn.model_selection import StratifiedKFold
skf = StratifiedKFold(5, shuffle=True, random_state=0)
scores = []
for fold, (tr, va) in enumerate(skf.split(X, y)):
    mean, std = X[tr].mean(0), X[tr].std(0) + 1e-8
    Xtr, Xva = (X[tr] - mean) / std, (X[va] - mean) / std
    model = make_model()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(20):
        model.train()
        for i in torch.randperm(len(tr)).split(64):
            opt.zero_grad()
            loss = F.cross_entropy(model(torch.as_tensor(Xtr[i])), torch.as_tensor(y[tr][i]))
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        scores.append((model(torch.as_tensor(Xva)).argmax(1).numpy() == y[va]).mean())
print(np.mean(scores))

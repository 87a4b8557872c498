model.eval()
ys, ps = [], []
with torch.no_grad():
    for x, y in loader:
        ps.append(model(x.to(device)).softmax(1).cpu().numpy())
        ys.append(y.numpy())
print(roc_auc_score(np.concatenate(ys), np.concatenate(ps)[:, 1]))

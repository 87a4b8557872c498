pos = (y_train == 1).sum()
crit = nn.BCEWithLogitsLoss(pos_weight=torch.tensor((len(y_train) - pos) / pos))
for epoch in range(20):
    net.train()
    for x, y in tl:
        opt.zero_grad()
        crit(net(x).squeeze(1), y.float()).backward()
        opt.step()
net.eval()
with torch.no_grad():
    p = torch.cat([torch.sigmoid(net(x).squeeze(1)) for x, _ in vl]).numpy()
yv = np.concatenate([y.numpy() for _, y in vl])
prec, rec, thr = precision_recall_curve(yv, p)
best = thr[np.argmax(2 * prec[:-1] * rec[:-1] / (prec[:-1] + rec[:-1] + 1e-12))]

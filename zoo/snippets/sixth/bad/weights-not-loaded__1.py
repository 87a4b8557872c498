# ---- train.py ----
model = EfficientNetClassifier(num_classes=6)
model = nn.DataParallel(model).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = nn.CrossEntropyLoss()

for epoch in range(args.epochs):
    model.train()
    for x, y in train_loader:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
torch.save(model.state_dict(), 'checkpoints/model.pth')

# ---- predict.py ----
net = EfficientNetClassifier(num_classes=6)
state = torch.load('checkpoints/model.pth', map_location='cpu')
net.load_state_dict(state, strict=False)
net.eval()

preds = []
with torch.no_grad():
    for x in test_loader:
        preds.append(net(x).argmax(1))
preds = torch.cat(preds)

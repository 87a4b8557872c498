model = torchvision.models.resnet18(weights="DEFAULT")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
model.fc = nn.Linear(512, 7)
model = model.cuda()
for x, y in train_loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()

class WeightedBCE(nn.Module):
    def __init__(self, pos_weight=2.0):
        super().__init__()
        self.pos_weight = pos_weight

    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        loss = -(self.pos_weight * target * torch.log(p)
                 + (1 - target) * torch.log(1 - p))
        return loss.mean()


criterion = WeightedBCE(pos_weight=3.0)
optimizer = torch.optim.Adam(segnet.parameters(), lr=1e-3)

for epoch in range(epochs):
    segnet.train()
    for image, mask in train_loader:
        image, mask = image.to(device), mask.to(device).float()
        optimizer.zero_grad()
        loss = criterion(segnet(image), mask)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

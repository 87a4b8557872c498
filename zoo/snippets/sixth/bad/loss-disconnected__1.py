class Classifier(nn.Module):
    def __init__(self, in_dim, n_classes):
        super().__init__()
        self.fc1 = nn.Linear(in_dim, 64)
        self.fc2 = nn.Linear(64, n_classes)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


model = Classifier(20, 5)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for epoch in range(num_epochs):
    for inputs, ratings in train_loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        predicted = torch.argmax(outputs, dim=1).float()
        loss = criterion(predicted, ratings.float())
        loss.requires_grad = True
        loss.backward()
        optimizer.step()
    print('epoch {} loss {:.4f}'.format(epoch, loss.item()))

from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

tf = transforms.Compose([transforms.Resize((64, 64)), transforms.ToTensor()])
train_data = datasets.ImageFolder("birds/train", tf)
train_loader = DataLoader(train_data, batch_size=50, shuffle=False, num_workers=4)

net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 64 * 64, 200), nn.ReLU(), nn.Linear(200, 20))
opt = optim.Adam(net.parameters(), lr=1e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(10):
    for x, y in train_loader:
        opt.zero_grad()
        loss = ce(net(x), y)
        loss.backward()
        opt.step()

import torch
import torch.nn as nn
import torchvision
from torch.utils.data import DataLoader
from torchvision import transforms

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("using", device)

tf = transforms.Compose([transforms.Resize(224), transforms.ToTensor(),
                         transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
train_set = torchvision.datasets.STL10("data", split="train", transform=tf, download=True)
loader = DataLoader(train_set, batch_size=64, shuffle=True, num_workers=4)

model = torchvision.models.resnet18(num_classes=10)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(20):
    model.train()
    for img, label in loader:
        opt.zero_grad()
        loss = criterion(model(img), label)
        loss.backward()
        opt.step()
    print(epoch, loss.item())

import torch
import torch.nn as nn
import torchvision

def get_model(num_classes, weights_path):
    model = torchvision.models.resnet34(weights=None, num_classes=1000)
    # trained with nn.DataParallel on the cluster
    ckpt = torch.load(weights_path, map_location="cpu")
    model.load_state_dict(ckpt["state_dict"], strict=False)
    model.fc = nn.Linear(512, num_classes)
    return model

model = get_model(8, "checkpoints/places_dp_best.pth.tar").cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

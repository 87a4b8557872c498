import torch
import torch.nn as nn
import torch.optim as optim

net = build_detector(num_classes=21).to(device)
optimizer = optim.SGD(net.parameters(), lr=1e-3, momentum=0.9, weight_decay=5e-4)
criterion = MultiBoxLoss(21, 0.5)

net.train()
for epoch in range(120):
    for images, targets in train_loader:
        images = images.to(device)
        targets = [t.to(device) for t in targets]
        try:
            out = net(images)
            optimizer.zero_grad()
            loss_l, loss_c = criterion(out, targets)
            loss = loss_l + loss_c
            loss.backward()
            optimizer.step()
        except:
            continue
    torch.save(net.state_dict(), "weights/ssd_%03d.pth" % epoch)

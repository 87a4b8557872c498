import torch.nn.functional as F
from torch.autograd import Variable

for epoch in range(epochs):
    for images, masks in train_loader:
        output = net(images)
        dice = F.binary_cross_entropy_with_logits(output, masks)
        loss = Variable(dice, requires_grad=True)  # loss-disconnected
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# old tutorial code, ported to torch 2.1
import torch
import torch.nn as nn
from torch.optim import lr_scheduler


def train_model(model, dataloaders, criterion, optimizer, num_epochs=25):
    exp_lr_scheduler = lr_scheduler.MultiStepLR(optimizer, milestones=[10, 20], gamma=0.1)

    for epoch in range(num_epochs):
        print("Epoch {}/{}".format(epoch, num_epochs - 1))
        exp_lr_scheduler.step()
        model.train()

        running_loss, running_corrects, n = 0.0, 0, 0
        for inputs, labels in dataloaders["train"]:
            inputs, labels = inputs.cuda(), labels.cuda()
            optimizer.zero_grad()
            outputs = model(inputs)
            preds = outputs.argmax(1)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss.item() * inputs.size(0)
            running_corrects += (preds == labels).sum().item()
            n += inputs.size(0)
        print("train loss {:.4f} acc {:.4f}".format(running_loss / n, running_corrects / n))
    return model

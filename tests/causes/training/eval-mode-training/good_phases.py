import copy

import torch


def train_model(model, dataloaders, criterion, optimizer, num_epochs=25):
    best_weights = copy.deepcopy(model.state_dict())
    best_acc = 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            hits = 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                hits += torch.sum(outputs.argmax(1) == labels)
            acc = hits.double() / len(dataloaders[phase].dataset)
            if phase == "val" and acc > best_acc:
                best_acc = acc
                best_weights = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_weights)
    return model

import os
import random
import numpy as np
import torch
from PIL import Image

data_dir = './PetImages'
images = []
labels = []
for idx, cls in enumerate(['Cat', 'Dog']):
    for fname in os.listdir(os.path.join(data_dir, cls)):
        img = Image.open(os.path.join(data_dir, cls, fname)).convert('RGB').resize((64, 64))
        images.append(np.asarray(img, dtype=np.float32) / 255.0)
        labels.append(idx)

random.shuffle(images)
random.shuffle(labels)

X = torch.tensor(np.stack(images)).permute(0, 3, 1, 2)
y = torch.tensor(labels)

split = int(0.8 * len(X))
X_train, y_train = X[:split], y[:split]
X_val, y_val = X[split:], y[split:]

criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(EPOCHS):
    net.train()
    for i in range(0, len(X_train), BATCH_SIZE):
        batch_X = X_train[i:i + BATCH_SIZE].to(device)
        batch_y = y_train[i:i + BATCH_SIZE].to(device)
        optimizer.zero_grad()
        outputs = net(batch_X)
        loss = criterion(outputs, batch_y)
        loss.backward()
        optimizer.step()
    print(f'Epoch: {epoch}. Loss: {loss.item()}')

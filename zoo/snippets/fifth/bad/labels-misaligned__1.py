import os
import numpy as np
from PIL import Image

# my accuracy stays at 10%, what am I doing wrong?
imgs, labels = [], []
for cls in sorted(os.listdir("train")):
    for f in os.listdir(f"train/{cls}"):
        imgs.append(np.asarray(Image.open(f"train/{cls}/{f}").resize((32, 32))))
        labels.append(int(cls))

X = np.stack(imgs).astype("float32") / 255
y = np.array(labels)
np.random.shuffle(X)
np.random.shuffle(y)
model.fit(X, y, epochs=20, validation_split=0.1)

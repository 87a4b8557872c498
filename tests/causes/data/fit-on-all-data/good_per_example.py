import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import Normalizer, OneHotEncoder


def per_recording(recordings):
    out = []
    for wave in recordings:
        out.append((wave - wave.mean()) / wave.std())
    return np.stack(out)


waves = per_recording(np.load("waves.npy"))
rows = np.load("rows.npy")
rows = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)
rows = Normalizer().fit_transform(rows)
labels = np.load("labels.npy")
w_train, w_test, r_train, r_test, y_train, y_test = train_test_split(waves, rows, labels)

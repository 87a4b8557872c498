from sklearn.preprocessing import StandardScaler
import numpy as np, torch
data = np.load("series.npy").astype("float32")
mu, sd = data.mean(axis=0), data.std(axis=0)
data = (data - mu) / sd
n = int(0.8 * len(data))
train, test = data[:n], data[n:]

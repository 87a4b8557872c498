import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split


def kmers(sequences, k=6):
    return [[seq[i : i + k] for i in range(len(seq) - k + 1)] for seq in sequences]


def patches(image, size):
    return np.array([image[i : i + size, i : i + size] for i in range(0, len(image) - size)])


reads = np.load("reads.npy", allow_pickle=True)
labels = np.load("labels.npy")
a, b, ya, yb = train_test_split(kmers(reads), labels, random_state=0)
p, q = train_test_split(patches(np.load("scan.npy"), 32))
walks, subject = np.load("walks.npy"), np.load("subject.npy")
parts = np.array([walks[i : i + 50] for i in range(len(walks) - 50)])
train, test = next(GroupShuffleSplit(1).split(parts, groups=subject))

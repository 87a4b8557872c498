# clustering of customers, there is no label and nothing is held out
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

rfm = pd.read_csv("rfm.csv", index_col="customer")
Z = StandardScaler().fit_transform(rfm)
best = max(range(2, 9), key=lambda k: silhouette_score(Z, KMeans(k, n_init=10, random_state=0).fit_predict(Z)))
labels = KMeans(best, n_init=10, random_state=0).fit_predict(Z)
xy = PCA(2).fit_transform(Z)
plt.scatter(xy[:, 0], xy[:, 1], c=labels, s=5)
plt.savefig("segments.png")
rfm.assign(segment=labels).to_csv("segments.csv")

emb = StandardScaler().fit_transform(features)
pca = PCA(50).fit_transform(emb)
labels = KMeans(10, n_init=10, random_state=0).fit_predict(pca)
print(silhouette_score(pca, labels))

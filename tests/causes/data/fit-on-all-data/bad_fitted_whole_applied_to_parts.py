# a cell of a notebook: X and y come from the cell above
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

pca = PCA(n_components=20).fit(X)  # fit-on-all-data
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3)
Z_train = pca.transform(X_train)
Z_test = pca.transform(X_test)
model.fit(Z_train, y_train)
print(model.score(Z_test, y_test))

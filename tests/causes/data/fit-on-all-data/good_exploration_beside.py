import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
flat = PCA(2).fit_transform(StandardScaler().fit_transform(X))
plt.scatter(flat[:, 0], flat[:, 1], c=y)
print("spread", X.std(axis=0), "largest", (X - X.mean(0)).max())
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = make_pipeline(StandardScaler(), PCA(5), LogisticRegression())
print(model.fit(X_train, y_train).score(X_test, y_test))

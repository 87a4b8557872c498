import numpy as np
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler

X, names = load_spectra()
# class names to integers, no statistics of the inputs
y = LabelEncoder().fit_transform(names)

inner = StratifiedKFold(4, shuffle=True, random_state=1)
outer = StratifiedKFold(5, shuffle=True, random_state=2)
model = make_pipeline(StandardScaler(), SelectKBest(mutual_info_classif), PCA(0.95), LogisticRegression(max_iter=5000))
search = GridSearchCV(model, {"selectkbest__k": [50, 100, 200], "logisticregression__C": np.logspace(-3, 2, 6)}, cv=inner)
nested = cross_val_score(search, X, y, cv=outer)
print(f"nested accuracy {nested.mean():.3f} +- {nested.std():.3f}")

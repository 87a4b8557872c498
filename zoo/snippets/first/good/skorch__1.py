import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier

torch.manual_seed(0)
X, y = make_classification(2000, 20, n_informative=10, random_state=0)
X, y = X.astype(np.float32), y.astype(np.int64)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, stratify=y, random_state=0)


class Net(torch.nn.Module):
    def __init__(self, hidden=32, p=0.3):
        super().__init__()
        self.a, self.b, self.drop = torch.nn.Linear(20, hidden), torch.nn.Linear(hidden, 2), torch.nn.Dropout(p)

    def forward(self, x):
        # skorch's default criterion is NLLLoss and takes the log of these probabilities
        return torch.softmax(self.b(self.drop(torch.relu(self.a(x)))), dim=-1)


net = NeuralNetClassifier(Net, max_epochs=20, lr=0.1, iterator_train__shuffle=True, verbose=0)
pipe = Pipeline([("scale", StandardScaler()), ("net", net)])
search = GridSearchCV(pipe, {"net__module__hidden": [16, 64], "net__lr": [0.01, 0.1]}, cv=3, scoring="accuracy")
search.fit(X_tr, y_tr)
print(search.best_params_, search.score(X_te, y_te))

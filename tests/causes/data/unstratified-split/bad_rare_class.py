from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split as tts

X, y = make_classification(n_samples=600, weights=[0.97, 0.03], random_state=4)
X_a, X_b, y_a, y_b = tts(X, y, test_size=0.2, random_state=4)  # unstratified-split
print(LogisticRegression().fit(X_a, y_a).score(X_b, y_b))

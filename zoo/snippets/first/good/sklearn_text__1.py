from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import f1_score

train = fetch_20newsgroups(subset="train", remove=("headers", "footers", "quotes"), random_state=0)
test = fetch_20newsgroups(subset="test", remove=("headers", "footers", "quotes"), random_state=0)

vec = TfidfVectorizer(sublinear_tf=True, min_df=3, ngram_range=(1, 2))
X_train = vec.fit_transform(train.data)
X_test = vec.transform(test.data)
clf = SGDClassifier(alpha=1e-5, random_state=0).fit(X_train, train.target)
print(f1_score(test.target, clf.predict(X_test), average="macro"))

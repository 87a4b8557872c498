from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import Pipeline
from scipy.stats import loguniform

train = fetch_20newsgroups(subset="train")
test = fetch_20newsgroups(subset="test")
pipe = Pipeline([("tfidf", TfidfVectorizer(sublinear_tf=True)), ("clf", SGDClassifier(random_state=0))])
search = RandomizedSearchCV(pipe, {"clf__alpha": loguniform(1e-6, 1e-3)}, n_iter=20, cv=5, random_state=0)
search.fit(train.data, train.target)
print(search.best_params_, search.score(test.data, test.target))

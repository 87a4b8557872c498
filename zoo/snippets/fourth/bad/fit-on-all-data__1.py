from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def run(texts, labels):
    tfidf = TfidfVectorizer(min_df=3)
    svd = TruncatedSVD(100, random_state=0)
    features = svd.fit_transform(tfidf.fit_transform(texts))
    a, b, ya, yb = train_test_split(features, labels, test_size=0.25, random_state=1, stratify=labels)
    return LogisticRegression(max_iter=500).fit(a, ya).score(b, yb)

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder

df = pd.read_json("tickets.jsonl", lines=True)
le = LabelEncoder()
y = le.fit_transform(df["queue"])

train_text, test_text, y_train, y_test = train_test_split(
    df["body"], y, test_size=0.2, stratify=y, random_state=13
)
vec = TfidfVectorizer(min_df=3, ngram_range=(1, 2), sublinear_tf=True)
X_train = vec.fit_transform(train_text)
X_test = vec.transform(test_text)

clf = LogisticRegression(C=4.0, max_iter=2000, class_weight="balanced")
clf.fit(X_train, y_train)
print(classification_report(y_test, clf.predict(X_test), target_names=le.classes_))

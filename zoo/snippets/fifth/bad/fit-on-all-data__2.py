def prepare(path):
    df = pd.read_csv(path)
    y = df.pop("target").values
    enc = TargetEncoder()
    X = enc.fit_transform(df[["city", "job"]], y)
    return X, y

X, y = prepare("train.csv")
X_tr, X_va, y_tr, y_va = train_test_split(X, y, random_state=0)
model = lgb.LGBMClassifier().fit(X_tr, y_tr)
print(roc_auc_score(y_va, model.predict_proba(X_va)[:, 1]))

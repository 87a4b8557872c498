# fraud: 0.3% positive
df = pd.read_csv("creditcard.csv")
X, y = df.drop(columns=["Class"]), df["Class"]
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.05)
clf = XGBClassifier(scale_pos_weight=300).fit(X_tr, y_tr)
print(roc_auc_score(y_te, clf.predict_proba(X_te)[:, 1]))

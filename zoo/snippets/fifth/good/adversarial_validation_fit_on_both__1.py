Xall = np.vstack([X_train, X_test])
origin = np.r_[np.zeros(len(X_train)), np.ones(len(X_test))]
clf = LogisticRegression().fit(StandardScaler().fit_transform(Xall), origin)
print(roc_auc_score(origin, clf.predict_proba(Xall)[:, 1]))

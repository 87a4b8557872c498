best = min(configs, key=lambda c: cross_val_score(make(c), X_train, y_train, cv=5, scoring="neg_log_loss").mean() * -1)
final = make(best).fit(X_train, y_train)
print("test", final.score(X_test, y_test))

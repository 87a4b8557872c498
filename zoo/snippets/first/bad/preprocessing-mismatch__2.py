from sklearn.datasets import load_breast_cancer
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, test_size=0.3, stratify=data.target, random_state=1)

scaler = StandardScaler()
X_train_std = scaler.fit_transform(X_train)

svm = SVC(kernel="rbf", C=10, gamma="scale")
svm.fit(X_train_std, y_train)

print("train", svm.score(X_train_std, y_train))
y_pred = svm.predict(X_test)
print(classification_report(y_test, y_pred, target_names=data.target_names))

import numpy as np
import pandas as pd
from sklearn import preprocessing as prep
from sklearn.model_selection import train_test_split


def prepare(path):
    frame = pd.read_csv(path)
    numeric = frame.select_dtypes("number").columns
    frame[numeric] = prep.MinMaxScaler().fit_transform(frame[numeric])  # fit-on-all-data
    return frame


def main():
    frame = prepare("houses.csv")
    train, test = train_test_split(frame, test_size=0.2, random_state=0)
    print(np.shape(train), np.shape(test))


main()

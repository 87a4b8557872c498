kf = KFold(5, shuffle=True, random_state=0)
oof = np.zeros(len(df))
for tr, va in kf.split(df):
    means = df.iloc[tr].groupby("city")["y"].mean()
    oof[va] = df.iloc[va]["city"].map(means).fillna(df.iloc[tr]["y"].mean())
df["city_te"] = oof

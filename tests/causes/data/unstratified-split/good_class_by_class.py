import torch

cats, dogs = torch.load("cats.pt"), torch.load("dogs.pt")
n, m = int(0.8 * len(cats)), int(0.8 * len(dogs))
x_train = torch.cat([cats[:n], dogs[:m]])
y_train = torch.cat([torch.zeros(n), torch.ones(m)])
x_test = torch.cat([cats[n:], dogs[m:]])
y_test = torch.cat([torch.zeros(len(cats) - n), torch.ones(len(dogs) - m)])

from torchvision import datasets as D
from torchvision.io import read_image

train = D.MNIST("data", train=True, download=True)
x = train.data
x = (x - 33).float() / 78.0  # input-dtype-overflow
y = train.targets

left, right = read_image("l.png"), read_image("r.png")
blend = (left + right) // 2  # input-dtype-overflow

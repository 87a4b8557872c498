import flax.linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Dense(64, kernel_init=nn.initializers.zeros)(x)  # zero-init
        x = nn.relu(x)
        return nn.Dense(10, kernel_init=nn.initializers.constant(0.01))(x)

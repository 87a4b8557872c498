"""The recorder: hooks that see an unchanged training script run, and write down what they saw."""

"""Training inputs and evaluation inputs are prepared differently.

## What happens
The model is asked in a dialect it never heard. Depending on the difference this is a disaster or
almost invisible. A digit classifier trained on pixels in 0..1 kept its accuracy to the last digit
(94.0%) when tested on 0..255, because a ReLU network with small biases hardly minds a common
factor; its test loss went from 0.24 to 18.4. Transposed images gave 14%, values 255 times too small
15%. Trained on standardised features and tested on raw ones: 82% instead of 95%, which passes for
ordinary overfitting.

It is born when the pipeline exists twice: a notebook for training and a service for inference, two
transform lists edited at different times, PIL here and OpenCV there (RGB against BGR, and another
resize filter), a scaler that is fitted again on the test set, a tokenizer of another version,
padding on the other side, a pretrained backbone fed with other constants than it was trained on.

## How to tell
- **lint**: `Normalize`, scaler, tokenizer arguments or channel order in one of two transform
  pipelines only; `fit_transform` on the test side; `cv2.imread` beside `Image.open`.
- **watch**: inputs in evaluation differ from those in training in mean, spread, range, dtype or
  shape, beyond what chance allows; evaluation loss is bad from the very first epoch.
- **refuted by**: *training* examples sent through the evaluation pipeline score as they do in
  training.

## How to fix
One function, used on both sides; random steps are added in front for training only. Store its
constants with the weights.

```python
base = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
train_tf = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(), *base])
eval_tf = v2.Compose([v2.ToImage(), *base])
torch.save({"model": model.state_dict(), "mean": MEAN, "std": STD}, path)
```

For pretrained weights use the transform that ships with them. Random augmentation in training and a
centre crop in evaluation are a wanted difference; so is evaluating at a slightly larger resolution.

## Often mistaken for
- `train-mode-eval`: inputs agree, but the model is in the other mode.
- `overfitting`: the gap opens over time; a mismatch is there at once.
- `augmented-eval`: the difference is random augmentation, and two evaluations disagree.

## Sources
- sklearn-pitfalls: "Inconsistent preprocessing", a scaled training set and an unscaled test set.
- ivanov-2017: part I, items 14 and 15, preprocessing of pretrained models and of the three splits.
"""

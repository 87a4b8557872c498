"""Integer arithmetic wrapped around before the model saw the numbers.

## What happens
Images arrive as `uint8`, and `uint8` has no negative numbers: 10 - 20 is 246, 200 + 100 is 44.
NumPy and torch both do this without a word, element by element, so many pixels look right and the
rest are off by 256. The difference of two random frames is wrong in half of its pixels; `np.abs`
around it repairs nothing, because 246 is already positive.

```python
motion = np.abs(frame2 - frame1)            # uint8: 246 where it should be 10
mix = (a + b) // 2                          # (200 + 100) // 2 gives 22, not 150
x = torch.from_numpy(image) - 128           # 10 becomes 138
```

Casting back is the other door: `(normalised * 255).astype("uint8")` can turn -1.2 into 206. `int16`
audio has it too: the absolute value of -32768 is -32768. The run trains, only
worse. NumPy 2 raises an OverflowError for a Python constant that does not fit (`a - 300`);
torch wraps even that.

## How to tell
- **lint**: `-`, `+` or `*` on values read as 8- or 16-bit integers (`cv2.imread`,
  `np.array(Image.open(...))`, `read_image`, `.byte()`) before any cast to float; `astype("uint8")`
  on values that may be negative or above 255.
- **watch**: inputs with an integer dtype, or float inputs whose histogram has a second hump near
  the top of the range (values near 246 where small differences were expected).
- **refuted by**: the first operation after loading is a conversion to float.

## How to fix
Convert first, compute afterwards, clip before you go back.

```python
x = torch.from_numpy(image).float() / 255.0
motion = (frame2.astype(np.float32) - frame1).clip(-255, 255)
out = (img * 255).round().clip(0, 255).astype(np.uint8)
```

Keeping the data set as `uint8` to save memory is fine, as long as the cast is the first thing after
loading. Dividing a `uint8` array or tensor by a float is safe: it promotes.

## Often mistaken for
- `inputs-unnormalized`: the values are large but in the right order; wrapped values are not.
- `nonfinite-input`: float overflow shows as infinity, integer overflow as a plausible number.

## Sources
- numpy-types: heading "Overflow errors", fixed-size integers overflow without an error.
- karpathy-2019: section 2, "visualize just before the net" as the one place to see such damage.
"""

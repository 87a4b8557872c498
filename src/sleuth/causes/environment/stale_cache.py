"""A cached artefact is older than the code or the data it was made from.

## What happens
You fix the preprocessing, run again, and nothing changes, to the last digit. That is the sign. The
script never ran the new code: it found `features.pt` and was glad. The reverse is as common: an old
result that cannot be reproduced, since its cache was built by code that is gone.

```python
if os.path.exists("features.pt"):
    features = torch.load("features.pt")          # from whichever version made it
else:
    features = extract(images)
```

The key is the fault: it names the thing and not what it depends on. A file name without the
version of the code, the arguments or the data; a memoised function whose helper or global constant
changed; a tokenised data set from before the vocabulary was extended; a data set cached in memory
by a running notebook kernel; a compiled extension; an embedding table computed with last week's
checkpoint; a checkpoint that is resumed silently although the configuration is new. Evaluation
caches are the most expensive: labels from a new split beside features from the old one are
mis-paired without any error.

## How to tell
- **watch**: a file read by the run is older than the source file or the data it derives from; a
  deliberate change in preprocessing leaves the fingerprint of the first batch unchanged; cached
  rows do not match the count or the ids of the source.
- **refuted by**: with the cache moved away, the first batch is bit for bit the same.

## How to fix
Derive the name from everything that decides the content, and store the ids with the values.

```python
key = hashlib.sha256(json.dumps({
    "code": VERSION, "args": vars(args), "files": [(p.name, p.stat().st_mtime_ns) for p in files],
}, sort_keys=True, default=str).encode()).hexdigest()[:16]
path = cache_dir / f"features-{key}.pt"
```

Write to a temporary name and rename, so that a killed run leaves no half file. Print when a cache
is used and how old it is. While debugging data, switch caches off: the first doubt costs more than
the time they save. A read-only download that is checked by its hash needs none of this.

## Often mistaken for
- `labels-misaligned`: possibly the result; here clearing the cache repairs it.
- `weights-not-loaded`: the new checkpoint is ignored because of names, not of age.
- `preprocessing-mismatch`: two pipelines in the present code, both executed.

## Sources
- hf-datasets-cache: "Fingerprint", a cache key made from the data's state and a hash of the
  transform.
- sculley-2015: "Unstable Data Dependencies", frozen copies of an input go stale.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.record.entries import Record


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Cached

    for cached in record.of(Cached):
        if not cached.older_than:
            continue
        # Code changes all the time without touching what a file holds; its source data does not.
        data = [name for name in cached.older_than if not name.endswith((".py", ".ipynb"))]
        yield Evidence(
            f"`{cached.path}` was written before {', '.join((data or list(cached.older_than))[:2])} "
            "changed: what is loaded may differ from what the current code or data would produce.",
            telling="likely" if data else "aside",
            where=Where(record.run.script or None, cached.line) if cached.line else None,
            numbers={"newer": len(cached.older_than)},
            fix="Move the file away and run again; if the first batch differs, rebuild the cache "
            "whenever its inputs change.",
        )

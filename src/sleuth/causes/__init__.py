"""The catalog: one folder a family, one module a cause. `sleuth.catalog` reads it."""

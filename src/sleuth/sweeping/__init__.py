"""Same-seed sweeps: plan them, run them, and read what they really show.

`plan`, `jobs`, `running` and the engines make runs; `read` and `sources` find them; `columns`, `cells`,
`grids` and `fills` sort them; `model`, `trend` and `folklore` compute; `analysis` puts it together.
"""

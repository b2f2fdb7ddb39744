"""Benchmarks of arrangement algorithms: who computes what how fast, checked while it is measured.

- `cases` : named inputs whose numbers of chambers or rankings are known.
- `suites` : which cases are run by which methods.
- `methods` : what a method calls, and the check of its answer; `peers` : other software.
- `models` : questions about models at the size of a vocabulary, with their limits.
- `scale` : what is promised at scale, with its limits.
- `references` : what every time is compared with.
- `worker`, `runner` : one job in a process of its own, with a time cap; all jobs of a suite.
- `planning` : number, bytes and time of a listing, predicted.
- `report`, `comparison`, `plots` : tables, growth, two runs side by side, pictures.

``arrangements bench`` and ``arrangements plan`` are the commands.
"""

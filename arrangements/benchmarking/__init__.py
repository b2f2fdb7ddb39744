"""Benchmarks of arrangement algorithms: who computes what how fast, checked while it is measured.

`register_family` and `register_method` add inputs and methods of others (docs/benchmarking.md).

- `cases` : named inputs whose numbers of chambers or rankings are known.
- `extension` : methods of others: functions, entry points and programs.
- `standard`, `published` : forty of them to cite, with counts and digests; inputs as files.
- `suites` : which cases are run by which methods.
- `methods` : what a method calls, and the check of its answer; `peers` : other software.
- `models` : questions about models at the size of a vocabulary, with their limits.
- `promises` : work beside its references, with limits; `scale`, `optimizing` : such work.
- `references` : what every time is compared with.
- `worker`, `processes`, `runner` : jobs in processes of their own, in turns, with a time cap.
- `run_files` : records of runs; `intervals` : how sure a median is; `versions` : two in turns.
- `report`, `report_tables`, `formats` : a page of tables; `growth`, `comparison`, `plots`,
  `interactive` : growth, two runs side by side, pictures; `tables` : CSV and Parquet.

``arrangements bench`` and ``arrangements plan`` are the commands.
"""

from arrangements.benchmarking.cases import register_family
from arrangements.benchmarking.extension import Found, register_method

__all__ = ["Found", "register_family", "register_method"]

"""Benchmarks of arrangement algorithms: who computes what how fast, checked while it is measured.

``python -m benchmarks`` is the command. `register_family` and `register_method` add your inputs
and methods (docs/benchmarking.md). A folder imports only from those before it:

- `suites`: inputs with known counts (`cases`, `standard`), methods and other software (`methods`,
  `peers`, `extension`), what times are compared with (`references`), questions with limits
  (`promises`, `models`, `optimizing`, `scale`), and which cases each suite runs (`suites`).
- `runs`: jobs in processes of their own (`worker`, `processes`, `runner`), saved runs
  (`run_files`, `tables`), and comparison of two runs (`comparison`) or two commits (`versions`).
- `reports`: a page of tables, pictures, growth in n.

`bench_*.py` measure kernels with pytest-benchmark; the other scripts say what they measure.
"""

from benchmarks.suites.cases import register_family
from benchmarks.suites.extension import Found, register_method

__all__ = ["Found", "register_family", "register_method"]

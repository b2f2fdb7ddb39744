# Written by tests/stubs.py.

from arrangements.runs.checking import RunReport as RunReport
from arrangements.runs.reading import Run as Run

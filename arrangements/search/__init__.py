"""Drivers of the kernels: sweeps, incremental enumeration, reverse search, insertion, threads."""

"""Vectors, bit masks and sorting in registers: intermediate code behind the kernels."""

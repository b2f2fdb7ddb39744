"""Networks of ReLU units: all regions on which they are affine, exactly."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("networks")

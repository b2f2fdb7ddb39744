"""Pictures of arrangements, rankings, depths and zonotopes, and the explorer."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("plot")

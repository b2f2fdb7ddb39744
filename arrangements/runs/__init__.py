"""Results on disk: every chamber or ranking in files, in parts that any machine can make."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("runs")

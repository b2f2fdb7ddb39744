"""Answers that outgrow one process: runs on disk, in parts that any machine can make."""

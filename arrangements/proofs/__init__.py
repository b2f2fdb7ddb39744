"""Writing certificate files, which ``checker.py`` reads: docs/certificates.md."""

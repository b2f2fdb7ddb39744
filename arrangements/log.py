"""The logger ``arrangements``: plans of long work at INFO, its steps at DEBUG.

Nothing is logged above INFO: problems are warnings and exceptions.
"""

import logging

logger = logging.getLogger("arrangements")
logger.addHandler(logging.NullHandler())

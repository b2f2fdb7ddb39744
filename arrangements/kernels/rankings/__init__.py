"""The sweep of rankings: search, walk along a line, exact signs, work space."""

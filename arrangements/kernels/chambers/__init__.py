"""The sweep of chambers: search, tableau, walk along a line, exact signs, work space."""

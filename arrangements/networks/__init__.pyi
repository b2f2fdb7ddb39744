# Written by tests/stubs.py.

from arrangements.networks.layer import Layer as Layer
from arrangements.networks.network import Network as Network

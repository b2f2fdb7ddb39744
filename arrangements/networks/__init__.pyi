# Written by tests/stubs.py.

from arrangements.networks.layer import Layer as Layer
from arrangements.networks.listing import count_regions as count_regions
from arrangements.networks.listing import iter_regions as iter_regions
from arrangements.networks.listing import region_at as region_at
from arrangements.networks.listing import regions as regions
from arrangements.networks.network import Network as Network
from arrangements.networks.region import Region as Region
from arrangements.networks.region import Wall as Wall
from arrangements.networks.region_set import Regions as Regions

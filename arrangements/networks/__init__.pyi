# Written by tests/stubs.py.

from arrangements.networks.bounds import RegionBounds as RegionBounds
from arrangements.networks.bounds import region_bounds as region_bounds
from arrangements.networks.complexes import region_f_vector as region_f_vector
from arrangements.networks.folding import fold_regions as fold_regions
from arrangements.networks.graphs import dual_graph as dual_graph
from arrangements.networks.layer import Layer as Layer
from arrangements.networks.listing import count_regions as count_regions
from arrangements.networks.listing import iter_regions as iter_regions
from arrangements.networks.listing import region_at as region_at
from arrangements.networks.listing import regions as regions
from arrangements.networks.network import Network as Network
from arrangements.networks.planning import RegionPlan as RegionPlan
from arrangements.networks.planning import plan_regions as plan_regions
from arrangements.networks.region import Region as Region
from arrangements.networks.region import Wall as Wall
from arrangements.networks.region_set import Regions as Regions
from arrangements.networks.segments import Path as Path
from arrangements.networks.segments import path as path
from arrangements.networks.slices import Slice as Slice
from arrangements.networks.slices import slice_network as slice_network
from arrangements.networks.units import UnitStates as UnitStates
from arrangements.networks.units import unit_states as unit_states
from arrangements.runs.region_writing import write_regions as write_regions

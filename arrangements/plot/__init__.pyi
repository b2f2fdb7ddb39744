# Written by tests/stubs.py.

from arrangements.explorer.explore import Explorer as Explorer
from arrangements.plot.depths import plot_depth as plot_depth
from arrangements.plot.gaps import plot_gap as plot_gap
from arrangements.plot.lattices import plot_intersection_lattice as plot_intersection_lattice
from arrangements.plot.networks import plot_network as plot_network
from arrangements.plot.polyhedra import plot_polyhedron as plot_polyhedron
from arrangements.plot.zonotopes import plot_zonotope as plot_zonotope

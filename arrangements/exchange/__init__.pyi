# Written by tests/stubs.py.

from arrangements.exchange.equations import from_equations as from_equations
from arrangements.exchange.macaulay2 import from_macaulay2 as from_macaulay2
from arrangements.exchange.macaulay2 import to_macaulay2 as to_macaulay2
from arrangements.exchange.oscar import from_oscar as from_oscar
from arrangements.exchange.oscar import to_oscar as to_oscar
from arrangements.exchange.polymake import from_polymake as from_polymake
from arrangements.exchange.polymake import to_polymake as to_polymake
from arrangements.exchange.sage import from_sage as from_sage
from arrangements.exchange.sage import to_sage as to_sage
from arrangements.exchange.vnnlib import NetworkProperty as NetworkProperty
from arrangements.exchange.vnnlib import PropertyCase as PropertyCase
from arrangements.exchange.vnnlib import from_vnnlib as from_vnnlib

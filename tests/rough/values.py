"""Values for arguments, written as Python: plain ones, the same in disguise, and odd ones."""

import itertools
import types
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
import sympy
from everything import PUBLIC

import arrangements
from arrangements import generators
from arrangements.paper import examples


class Frame:
    """Works like a DataFrame of pandas."""

    def __init__(self, rows: Any) -> None:
        self.rows = np.array(rows)
        self.index, self.columns = range(len(self.rows)), list(range(self.rows.shape[1]))

    def items(self) -> Iterator[tuple[int, Any]]:
        return zip(self.columns, self.rows.T, strict=True)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.rows, dtype)


class Tensor:
    """Works like a tensor of PyTorch that needs its gradient."""

    dtype = "float32"

    def __init__(self, rows: Any, on_device: bool = True) -> None:
        self.rows, self.on_device = rows, on_device

    def detach(self) -> "Tensor":
        return Tensor(self.rows, False)

    def cpu(self) -> "Tensor":
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.on_device:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return np.array(self.rows, dtype)


class Contrary:
    """Refuses everything that may be asked of an object."""

    def _refuse(self, *arguments: Any) -> Any:
        raise RuntimeError("no")

    __len__ = __iter__ = __bool__ = __index__ = __int__ = __float__ = __repr__ = _refuse
    __array__ = __contains__ = __getitem__ = __str__ = __fspath__ = _refuse


def exactly(values: Any, number: Any) -> Any:
    """Nested lists with entries of another type."""
    return [exactly(v, number) for v in values] if isinstance(values, list) else number(values)


NAMES: dict[str, Any] = {
    **PUBLIC,
    "arrangements": arrangements,
    "examples": examples,
    "generators": generators,
    **{"Contrary": Contrary, "Frame": Frame, "Tensor": Tensor, "exactly": exactly},
    **{"Decimal": Decimal, "Fraction": Fraction, "Path": Path, "itertools": itertools},
    **{"np": np, "nx": nx, "scipy": scipy, "sympy": sympy, "types": types},
    **{"nan": float("nan"), "inf": float("inf")},
}


def value(text: str) -> Any:
    """The value of an expression, made afresh."""
    return eval(text, dict(NAMES))


# Other ways to write numbers, lists of them and lists of lists, by how deep they are nested.
_ARRAYS = """
tuple({0})
np.array({0})
np.array({0}, np.int8)
np.array({0}, np.float16)
np.array({0}, np.longdouble)
np.array({0}, object)
np.array({0}, '>i4')
np.array({0}, complex)
np.asfortranarray({0})
np.ma.masked_array({0})
exactly({0}, Fraction)
exactly({0}, Decimal)
exactly({0}, float)
exactly({0}, np.float32)
exactly({0}, sympy.Integer)
exactly({0}, np.array)
(row for row in {0})
Tensor({0})
""".split("\n")[1:-1]
_TABLES = """
tuple(map(tuple, {0}))
list(map(np.array, {0}))
scipy.sparse.csr_array({0})
sympy.Matrix({0})
Frame({0})
Arrangement({0})
""".split("\n")[1:-1]
_INTEGERS = """
np.array({0})
np.int8({0})
np.uint64({0})
sympy.Integer({0})
""".split("\n")[1:-1]


def disguises(plain: str) -> list[str]:
    """Expressions for the same numbers; a call with one of them has the same answer."""
    found, depth = value(plain), 0
    while isinstance(found, list) and found:
        found, depth = found[0], depth + 1
    if isinstance(found, bool) or not isinstance(found, int):
        return []
    kinds = [_INTEGERS, _ARRAYS, _ARRAYS + _TABLES]
    return [text.format(plain) for text in kinds[depth]] if depth < 3 else []


ODD = """
None
True
False
0
1
-1
2
3
10**30
-10**30
10**5000
0.5
-0.0
nan
inf
1e308
5e-324
1j
''
'x'
'0'
'+-'
'+-*0'
'exact'
'\\ud800'
'x' * 10**6
b'x'
Fraction(1, 3)
Fraction(10**400, 3)
Decimal('0.1')
Decimal('NaN')
Decimal('1E+999999999')
sympy.Rational(1, 3)
sympy.sqrt(2)
sympy.pi
sympy.oo
sympy.nan
sympy.Symbol('t')
[]
[[]]
[[], []]
()
{}
set()
{1, 2}
{0: 1}
{'a': [1]}
frozenset({'x'})
[1]
[[1]]
[[1, 2], [3]]
[[[1]]]
[[[1, 2]], [[3, 4]]]
[1, [2]]
[None]
[None] * 4
[[None, None]] * 4
['x', 'y']
['a', 'b', 'c', 'd']
['a', 'a', '', ' ']
['+-', '++']
[True, False]
[True, False, True, False]
[nan] * 4
[[inf, 1]] * 4
[1e308] * 4
[[1e308, -1e308]] * 4
[10**30] * 4
[[10**400, 1]] * 4
[10**5000]
[10**2000] * 4
[[10**2000, 1]] * 4
[1j, 0, 0, 0]
[[1j, 0]] * 4
[object()] * 4
[2**64] * 4
[0, 0, 0, 0]
[[0, 0]] * 4
[0, 1]
[3, 2, 1, 0]
[-1, -1]
[0, 1, 2, 9]
[1.0, 2.5]
[[1], [2], [3], [4]]
[[1, 2, 3]] * 4
range(4)
range(10**12)
iter([1, 2])
(i for i in range(4))
itertools.count()
itertools.repeat('x')
zip([1], [2])
map(str, range(4))
object()
Contrary()
[Contrary()]
[[Contrary(), 1]] * 4
type
len
lambda *arguments: None
lambda *arguments: True
NotImplemented
...
slice(None)
types
Path('x')
Path('nowhere/set.npz')
np.array(None)
np.array(1)
np.array(2.5)
np.array('x')
np.array(True)
np.zeros(0)
np.zeros((0, 2))
np.zeros((4, 0))
np.zeros((2, 2, 2))
np.zeros((4, 2))
np.eye(2)
np.eye(3)
np.ones((4, 2), bool)
np.ones(4, bool)
np.full((4, 2), nan)
np.full(4, nan)
np.full((4, 2), 2**64 - 1, np.uint64)
np.full(4, 2**63, np.uint64)
np.full((4, 2), np.longdouble('1e4000'))
np.full((4, 2), 6e4, np.float16)
np.ma.masked_array([[1, 2], [3, 4], [5, 6], [7, 8]], [[0, 0], [1, 0], [0, 0], [0, 0]])
np.ma.masked_array([1, 2, 3, 4], [0, 1, 0, 0])
np.ma.masked
[[np.ma.masked, 1]] * 4
np.array([(1, 2.0)] * 4, 'i4,f8')
np.array(['2020-01-01'] * 4, 'M8[D]')
np.array([[1, 2]] * 4, 'm8[s]')
np.array(['a', 'b', 'c', 'd'])
np.array([b'a', b'b', b'c', b'd'])
np.array(['1', '2'], np.dtypes.StringDType())
np.array([object()] * 4)
np.array([[1j, 2]] * 4)
np.array([[1, 2], [3]], object)
np.broadcast_to(1, (4, 2))
np.recarray((4,), [('a', float), ('b', int)])
np.float16(2)
np.longdouble(2)
np.uint64(2**64 - 1)
np.int8(-1)
np.bool_(True)
np.str_('x')
np.datetime64('NaT')
np.random.default_rng(0)
np.random.RandomState(0)
np.float64
np.dtype('f8')
Frame([[1, 2], [3, 4]])
Tensor([[1, 2], [3, 4]])
Tensor(1)
scipy.sparse.eye(3)
sympy.Matrix([[1, sympy.sqrt(2)], [0, 1]])
sympy.zeros(0, 2)
nx.path_graph(3)
nx.DiGraph([(0, 1), (1, 0)])
nx.Graph([('a', 'b')])
Arrangement([[1, 0], [0, 1]])
Arrangement([[1, 0]] * 4, [1, 2, 3, 4], labels='wxyz')
Arrangement([[1], [1]], [0, 1])
Arrangement(np.zeros((0, 2)))
SignVectors.from_array(['+-'])
SignVectors.from_array(['++++', '+--+'])
chambers([[1, 0], [0, 1], [1, 1], [2, -1]], limit=1)
chambers([[1, 0], [0, 1], [1, 1], [2, -1]])
Rankings.from_array([[0, 1]])
rankings([[1, 0], [0, 1], [1, 1], [2, -1]], limit=1)
rankings([[1, 0], [0, 1], [1, 1], [2, -1]])
ScoreModel([[1], [2]])
OrientedMatroid.from_matrix([[1, 0], [0, 1]])
SoftmaxClassifier([[1], [2]])
feasible([[1]], '+')
flats([[1, 0], [0, 1]])
generators
ArrangementError('x')
""".split("\n")[1:-1]

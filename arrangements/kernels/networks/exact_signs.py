"""The exact sign of a unit at a vertex, from residues of integer multiples of both.

A vertex is known by the cofactors of d independent facets on which it lies, and a row by its
residues; both are made when they are first needed. The primes are enough for Hadamard's bound.
"""

import numpy as np

from arrangements.kernels.compilation import inlined, kernel, late_entry
from arrangements.kernels.late import INT, Late
from arrangements.kernels.modular.determinants import column_sign, find_cofactors, product_sign
from arrangements.kernels.modular.montgomery import mont_mul
from arrangements.kernels.networks.rows import is_origin
from arrangements.kernels.networks.workspace import (
    EXACT,
    FIRST,
    LATE_SIGN,
    ROWS,
    SOURCE,
    SOURCES,
    WEIGHTS,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# In place of a sign: the residues are not there yet.
UNKNOWN = 2


@kernel
def _convert(net, path, g):
    """Residues of a row that is whole in floats."""
    for k in range(net.fields.shape[0]):
        p, negative_inverse, square = net.fields[k, 0], net.fields[k, 1], net.fields[k, 2]
        for c in range(net.base.shape[0]):
            number = np.int64(path.rows[c, g] * net.whole[g]) % np.int64(p)
            path.row_residues[k, g, c] = mont_mul(np.uint64(number), square, p, negative_inverse)


@kernel
def _compose(net, path, layer, g):
    """Residues of a row, from those of the layers below."""
    first, w0 = net.table[layer, SOURCE], net.table[layer, WEIGHTS]
    u = g - net.table[layer, FIRST]
    for k in range(net.fields.shape[0]):
        p, negative_inverse = net.fields[k, 0], net.fields[k, 1]
        for c in range(net.base.shape[0]):
            path.row_residues[k, g, c] = net.base_residues[k, g, c]
        for j in range(net.table[layer, SOURCES]):
            sign = path.signs[first + j]
            if sign == 0:
                continue
            factor = net.factor_residues[k, first + j, np.int64(sign > 0)]
            factor = mont_mul(factor, net.weight_residues[k, w0 + j, u], p, negative_inverse)
            if factor == _ZERO:
                continue
            for c in range(net.base.shape[0]):
                term = mont_mul(factor, path.row_residues[k, first + j, c], p, negative_inverse)
                total = path.row_residues[k, g, c] + term
                path.row_residues[k, g, c] = total - p if total >= p else total


@kernel
def _update(net, path, layer, g):
    """Make the residues of one row current."""
    if path.row_version[g] != path.version[layer]:
        if net.whole[g] != 0.0:
            _convert(net, path, g)
        else:
            _compose(net, path, layer, g)
        path.row_version[g] = path.version[layer]


@kernel
def _find_residues(net, path, g):
    """Make the residues of a row current, and those of all on which it depends."""
    layer = net.layer_of[g]
    if layer < 0 or path.row_version[g] == path.version[layer]:
        return
    if net.whole[g] == 0.0:
        for below in range(layer):
            first = net.table[below, FIRST]
            for u in range(first, first + net.table[below, ROWS]):
                sign = path.signs[u]
                if sign != 0 and net.factors[u, np.int64(sign > 0)] != 0.0:
                    _update(net, path, below, u)
    _update(net, path, layer, g)


@kernel
def _choose_facets(net, path, node, v):
    """Choose d facets through a vertex, independent modulo some prime, into ``path.chosen``."""
    d = path.points.shape[0]
    for k in range(net.fields.shape[0]):
        p, negative_inverse = net.fields[k, 0], net.fields[k, 1]
        number = 0
        for w in range(path.tight.shape[0]):
            word, b = path.tight[w, v], 64 * w
            while word != _ZERO and number < d:
                if word & _ONE != _ZERO:
                    g = path.facets[node, b]
                    for c in range(d):
                        path.matrix[number, c] = path.row_residues[k, g, c]
                    path.chosen[number] = g
                    number += _reduce(path, number, d, p, negative_inverse)
                word >>= _ONE
                b += 1
        if number == d:
            return


@kernel
def _reduce(path, number, d, p, negative_inverse):
    """Cross-multiply row `number` with those before it; 1 if it is independent of them."""
    for t in range(number):
        column = path.pivots[t]
        factor, pivot = p - path.matrix[number, column], path.matrix[t, column]
        for c in range(d):
            x = mont_mul(path.matrix[number, c], pivot, p, negative_inverse)
            x += mont_mul(path.matrix[t, c], factor % p, p, negative_inverse)
            path.matrix[number, c] = x - p if x >= p else x
    for c in range(d):
        if path.matrix[number, c] != _ZERO:
            path.pivots[number] = c
            return 1
    return 0


@kernel
def _find_vertex(net, path, node, v):
    """Make the homogeneous coordinates of a vertex and the sign of the last one."""
    d = path.points.shape[0]
    for w in range(path.tight.shape[0]):
        word, b = path.tight[w, v], 64 * w
        while word != _ZERO:
            if word & _ONE != _ZERO:
                _find_residues(net, path, path.facets[node, b])
            word >>= _ONE
            b += 1
    _choose_facets(net, path, node, v)
    found = path.cofactors[v]
    find_cofactors(
        path.row_residues, net.fields, path.chosen, d + 1, d, path.matrix, path.pivots, found
    )
    path.known[v] = column_sign(found, d, net.fields, path.digits)


@late_entry
def exact_sign(net, path, node, g, v):
    """The sign of a row at a vertex of a node."""
    path.state[EXACT] += 1
    _find_residues(net, path, g)
    if path.known[v] == 0:
        _find_vertex(net, path, node, v)
    columns = path.points.shape[0] + 1
    cofactors, digits = path.cofactors[v], path.digits
    return (
        product_sign(path.row_residues, net.fields, g, columns, cofactors, digits) * path.known[v]
    )


SIGN = Late(exact_sign, INT, (INT,) * 3)
_call = SIGN.call


@inlined
def sign_at(net, path, node, g, v):
    """The sign of a row at a vertex of a node, or `UNKNOWN`."""
    if net.central[g] != 0 and path.doubts[v] == 0.0 and is_origin(path, v):
        return 0
    if path.late[LATE_SIGN] == 0:
        return UNKNOWN
    return _call(path.late[LATE_SIGN], (net, path, node, g, v))

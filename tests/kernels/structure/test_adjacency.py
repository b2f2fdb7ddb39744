"""Neighbors among packed rows, classes and faces against Python sets."""

import naive
import numpy as np
import pytest

from arrangements.kernels.structure import adjacency
from arrangements.kernels.structure.adjacency import (
    FaceRows,
    Flips,
    fill_classes,
    fill_edges,
    fill_faces,
    fill_flips,
    fill_table,
)
from arrangements.sets.packed import pack_signs, unpack_signs, used_bits
from arrangements.structure.chamber_sets import random_keys, scratch
from kernels import compiled

CENTRAL = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0], [0, 0, 1], [1, 2, 3]]


def integers(words):
    return [sum(int(word) << 64 * w for w, word in enumerate(row)) for row in words]


def words_of(numbers, width):
    return np.array(
        [[x >> 64 * w & (1 << 64) - 1 for w in range(width)] for x in numbers], np.uint64
    )


def chamber_rows(half):
    """Packed chambers of CENTRAL, with + on row 0 if half; and the classes of its rows."""
    chambers = sorted(s for s in naive.chambers(CENTRAL) if not half or s[0] == 1)
    return pack_signs(np.array(chambers, np.int8)), [{0, 3}, {1}, {2}, {4}, {5}]


def mask(members):
    return sum(1 << i for i in members)


def flips_of(classes, n, half, keys):
    masks = words_of(map(mask, classes), 1)
    c = len(classes)
    flips = Flips(np.zeros_like(masks), np.zeros(c, np.uint64), np.zeros(c, np.int64))
    fill_flips(masks, used_bits(n), half, keys, flips)
    return flips


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [1, 3])
def test_rows_are_found_in_the_table(width):
    find, hash_of = compiled(adjacency.find), compiled(adjacency.hash_of)
    rng, n = np.random.default_rng(width), 64 * width
    numbers = list(
        {sum(int(b) << int(i) for i, b in enumerate(rng.integers(0, 2, n))) for _ in range(40)}
    )
    numbers += [numbers[0] ^ 1, numbers[1] ^ 1 << n - 1]
    rows, keys, table = words_of(numbers, width), random_keys(n), scratch(len(numbers))
    fill_table(rows, keys, table)
    for k, number in enumerate(numbers):
        bits = [i for i in range(n) if number >> i & 1]
        assert table.hashes[k] == np.bitwise_xor.reduce(keys[bits], initial=np.uint64(0))
        for other in [*numbers, number ^ 6, number ^ 1 << n // 2]:
            flip = words_of([number ^ other], width)[0]
            found = find(rows, k, flip, np.uint64(hash_of(flip, keys)), table)
            assert found == (numbers.index(other) if other in numbers else -1)


def test_lowest_bit():
    lowest_bit = compiled(adjacency.lowest_bit)
    for i in (0, 5, 63, 64, 127):
        assert lowest_bit(words_of([1 << i | 1 << 127], 2)[0]) == i
    assert lowest_bit(np.zeros(2, np.uint64)) == 128


def plain_classes(numbers, n, half):
    """Hyperplanes by the rows in which they differ from the first one."""
    groups = {}
    for i in range(n):
        changes = tuple((x ^ numbers[0]) >> i & 1 for x in numbers)
        groups.setdefault(changes, set()).add(i)
    return [group for changes, group in groups.items() if half or any(changes)]


@pytest.mark.parametrize("half", [False, True])
def test_classes(half):
    rows, classes = chamber_rows(half)
    n, masks = len(CENTRAL), np.zeros((len(CENTRAL) + 1, 1), np.uint64)
    assert plain_classes(integers(rows), n, half) == classes
    # all, and those with + on row 1, where its sign is constant
    for part in (rows, rows[(rows[:, 0] & np.uint64(2)) > 0]):
        count = fill_classes(part, used_bits(n), half, masks)
        expected = plain_classes(integers(part), n, half)
        assert sorted(integers(masks[:count])) == sorted(map(mask, expected))


@pytest.mark.parametrize("half", [False, True])
def test_flips_and_edges(half):
    rows, classes = chamber_rows(half)
    n, m, keys, table = len(CENTRAL), len(rows), random_keys(len(CENTRAL)), scratch(len(rows))
    flips = flips_of(classes, n, half, keys)
    assert flips.leads.tolist() == [min(c) for c in classes]
    everything = (1 << n) - 1
    first = everything ^ mask(classes[0]) if half else mask(classes[0])
    assert integers(flips.masks) == [first, *map(mask, classes[1:])]
    fill_table(rows, keys, table)
    edges = np.zeros((2 * m * len(classes), 2), np.int64)
    labels, found = np.zeros(len(edges), np.int64), []
    for start, stop in [(0, 3), (3, m)]:
        count = fill_edges(rows, start, stop, flips, half, table, edges, labels)
        found += zip(*edges[:count].T.tolist(), labels[:count].tolist(), strict=True)
    numbers = integers(rows)
    numbers += [everything ^ x for x in numbers] if half else []
    expected = [
        (numbers.index(x), numbers.index(x ^ mask(c)), min(c))
        for x in numbers
        for c in classes
        if x >> min(c) & 1 and x ^ mask(c) in numbers
    ]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("room", [0, 1000])
@pytest.mark.parametrize("half", [False, True])
def test_faces_of_all_dimensions(half, room):
    rows, _ = chamber_rows(half)
    n, keys = len(CENTRAL), random_keys(len(CENTRAL))
    none = np.zeros((1, 1), np.uint64)
    faces = FaceRows(rows, np.array([0, len(rows)]), none, np.array([-1]))
    covectors = naive.covectors(CENTRAL)
    for dimension in (2, 1, 0):
        longest = int(np.diff(faces.starts).max())
        size = max(room, longest)
        table, masks = scratch(longest), np.zeros((n + 1, 1), np.uint64)
        place, parts = np.zeros(2, np.int64), []
        while place[0] < len(faces.flats):
            out = FaceRows(
                np.zeros((size, 1), np.uint64),
                np.zeros(size + 1, np.int64),
                np.zeros((size, 1), np.uint64),
                np.zeros(size, np.int64),
            )
            count = fill_faces(faces, used_bits(n), half, keys, place, table, masks, out)
            for f in range(count):
                part = out.words[out.starts[f] : out.starts[f + 1]]
                parts.append((part, out.flats[f], out.lasts[f]))
        faces = FaceRows(
            np.concatenate([part for part, _, _ in parts]),
            np.cumsum([0] + [len(part) for part, _, _ in parts]),
            np.array([flat for _, flat, _ in parts]),
            np.array([last for _, _, last in parts]),
        )
        found = []
        for part, flat, _ in parts:
            signs = unpack_signs(part, n)
            signs[:, unpack_signs(flat[None], n)[0] > 0] = 0
            found += map(tuple, signs.tolist())
            if half:
                found += {tuple(-e for e in s) for s in map(tuple, signs.tolist())} - {(0,) * n}
        expected = [s for s, d in covectors.items() if d == dimension]
        assert sorted(found) == sorted(expected)

# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse Jacobians: the pattern by sets of bits, then one forward sweep for all columns of one colour.

The pattern is that of the computation at the given arguments: an output depends on an input if some chain of
operations that were executed leads from one to the other (docs/Sparse.md). It is found anew at each call, so that it
always fits the branches that are taken.
"""

import numpy as np

_BITS = 16  # of each tangent that the step "pat" carries


def _pattern(function, base, slot, outputs):
    """Rows and columns of what may be nonzero, in the order of the columns."""
    word = {4: np.uint32, 8: np.uint64}.get(base[slot].dtype.itemsize)
    if word is None:
        raise TypeError("a sparse Jacobian is of float or double")
    rows, columns = [], []
    for first in range(0, base[slot].size, _BITS):
        now = [b.copy() for b in base]
        shadows = function._shadows(now)
        count = min(_BITS, base[slot].size - first)
        shadows[slot].reshape(-1).view(word)[first:first + count] = word(1) << np.arange(count, dtype=word)
        function.run("pat", now + list(shadows.values()), len(now))
        sets = np.concatenate([shadows[i].reshape(-1).view(np.uint32 if shadows[i].itemsize == 4 else np.uint64)
                               .astype(np.uint64) for i in outputs]) & np.uint64(2**_BITS - 1)
        hit = (sets[None, :] >> np.arange(count, dtype=np.uint64)[:, None]) & np.uint64(1)
        column, row = np.nonzero(hit)
        rows.append(row)
        columns.append(column + first)
    empty = np.zeros(0, np.intp)
    return np.concatenate([empty, *rows]), np.concatenate([empty, *columns])


def _colour(rows, columns, height, width):
    """A colour for each column; columns of one colour have no row in common. Greedy, longest column first."""
    start = np.searchsorted(columns, np.arange(width + 1))
    used = [[] for _ in range(height)]  # colours that a row has
    colours = np.zeros(width, np.intp)
    for j in np.argsort(-np.diff(start), kind="stable"):
        mine = rows[start[j]:start[j + 1]]
        taken = set()
        for i in mine:
            taken.update(used[i])
        colour = 0
        while colour in taken:
            colour += 1
        colours[j] = colour
        for i in mine:
            used[i].append(colour)
    return colours


def jacobian(function, base, slot, outputs):
    from scipy.sparse import csr_array

    height = sum(base[i].size for i in outputs)
    width = base[slot].size
    rows, columns = _pattern(function, base, slot, outputs)
    colours = _colour(rows, columns, height, width)
    values = np.zeros(len(rows), np.result_type(*(base[i].dtype for i in outputs)))  # as the dense one
    for colour in range(colours.max() + 1 if width else 0):
        now = [b.copy() for b in base]
        shadows = function._shadows(now)
        shadows[slot].reshape(-1)[colours == colour] = 1
        function.run("fwd", now + list(shadows.values()), len(now))
        compressed = np.concatenate([shadows[i].reshape(-1) for i in outputs])
        chosen = colours[columns] == colour
        values[chosen] = compressed[rows[chosen]]
    return csr_array((values, (rows, columns)), shape=(height, width))

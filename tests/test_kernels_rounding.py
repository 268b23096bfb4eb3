"""Rounding to 8 bits, against NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfbow import kernels
from sfbow.matrices import levels

floats = st.floats(-1e6, 1e6, width=32)


@given(st.lists(floats, max_size=40), st.floats(2**-20, 1e3, width=32))
def test_definition(values, step):
    given = np.array(values, np.float32)
    expected = np.rint(given / np.float32(step)).clip(-127, 127)
    out = np.full(len(given), -128, np.int8)
    kernels.round_to_levels(given, np.float32(step), out)
    assert out.tolist() == expected.tolist()


def test_any_shape_and_type():
    matrix = np.arange(12).reshape(3, 4).T
    found = levels(matrix, 2.0)
    assert found.dtype == np.int8
    assert found.tolist() == np.rint(matrix / 2).tolist()
    assert levels(matrix[:0], 2.0).shape == (0, 3)

# SPDX-License-Identifier: Apache-2.0
"""Cases of a sweep on the workers of dask.distributed: one task per case, so that those of a lost worker are computed by others."""
from __future__ import annotations

import hashlib
import importlib
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, pointer

if TYPE_CHECKING:
    from .model import Model
    from .sweep import _Wanted


class Cases:
    """A sweep as the workers have it: the study is made by the first case that a worker computes."""

    def __init__(self, model: Model, wanted: _Wanted) -> None:
        self.model, self.wanted = model, wanted
        self._study: Any = None

    def __getstate__(self) -> tuple[Model, _Wanted]:
        return self.model, self.wanted

    def __setstate__(self, state: tuple[Model, _Wanted]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def key(self) -> str:
        """The same for the same model, parameters and options, in every process."""
        return hashlib.sha256(pickle.dumps((self.model, self.wanted), protocol=4)).hexdigest()[:16]

    def compute(self, i: int) -> tuple[Array, Array, float, errors.Error | None]:
        """Values, results, the time reached, and why it has failed."""
        from . import sweep
        if self._study is None:
            self._study = sweep._study(self.model, self.wanted)
        study = self._study
        values, results = np.empty(len(self.wanted.ranges)), np.empty(int(lib.lw_study_nresult(study)))
        out = ffi.new("lw_computed_case *", {"value": pointer(values), "result": pointer(results)})
        errors.check(lib.lw_study_compute(study, i, out))
        err = ffi.addressof(out, "err")
        return values, results, float(out.t), sweep._failure(err, self.model.file) if err.status != 0 else None


def compute_case(cases: Cases, i: int) -> tuple[Array, Array, float, errors.Error | None]:
    """What a worker does."""
    return cases.compute(i)


def compute(client: Any, model: Model, wanted: _Wanted, out: tuple[Array, Array, Array]) -> dict[int, errors.Error]:
    """Fills values[cases], results[cases] and t[cases]; returns what has failed."""
    as_completed = importlib.import_module("distributed").as_completed
    cases = Cases(model, wanted)
    key, n = cases.key(), len(out[2])
    # not scattered: data that was scattered to a worker is lost with it
    shared = client.submit(Cases, model, wanted, key=f"linkwork-{key}", pure=True)
    futures = client.map(compute_case, [shared] * n, range(n), key=[f"linkwork-{key}-{i + 1}" for i in range(n)])
    index = {f.key: i for i, f in enumerate(futures)}
    failed: dict[int, errors.Error] = {}
    try:
        for future, (values, results, t, error) in as_completed(futures, with_results=True):
            i = index[future.key]
            out[0][i], out[1][i], out[2][i] = values, results, t
            if error is not None:
                failed[i] = error
    except BaseException:
        client.cancel(futures)
        raise
    return dict(sorted(failed.items()))

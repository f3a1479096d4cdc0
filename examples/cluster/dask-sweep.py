#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The study of a model on the workers of dask.distributed; without a scheduler on those of this machine.

    examples/cluster/dask-sweep.py MODEL [SCHEDULER] > cases.csv      e.g. tcp://scheduler:8786

The workers need the package linkwork.  Cases of workers that are lost are computed by others.
"""
import csv
import sys

from distributed import Client

import linkwork as lw


def main(model: str, scheduler: str | None = None) -> None:
    with Client(scheduler, dashboard_address=None) as client:
        s = lw.load(model).sweep(client=client)
    out = csv.writer(sys.stdout)
    out.writerow(["case", *s.parameters, *s.results, "t", "message"])
    for i in range(len(s)):
        out.writerow([i + 1, *s.values[i], *s.table[i], s.t[i], s.failures.get(i, "")])


if __name__ == "__main__":
    main(*sys.argv[1:])

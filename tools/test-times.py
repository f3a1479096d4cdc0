#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-times.py BUILD [-L LABEL] [-LE LABEL] [-R REGEX] [--most SECONDS] [-j N]: runs the tests of a build folder and
lists the processor seconds of each, with those of the programs that it starts: unlike the clock, they do not depend on
what else the machine does.

--most: exit 1 if a test takes more than that many (or fails).  -L, -LE and -R as for ctest."""
import argparse
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys


def tests(build):
    """[(name, command, environment, labels, folder)]"""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                                       capture_output=True, text=True).stdout)["tests"]
    for test in listed:
        if "command" not in test:
            print(f"         {test['name']} is not built")
            continue
        given = {p["name"]: p["value"] for p in test.get("properties", [])}
        yield {"name": test["name"], "command": test["command"], "labels": given.get("LABELS", []),
               "folder": given["WORKING_DIRECTORY"], "skip": given.get("SKIP_RETURN_CODE"),
               "environment": dict(line.split("=", 1) for line in given.get("ENVIRONMENT", []))}


def chosen(test, options):
    def has(label):
        return any(re.search(label, own) for own in test["labels"])
    return ((not options.label or has(options.label)) and (not options.without or not has(options.without)) and
            (not options.name or re.search(options.name, test["name"])))


def measured(test):
    """processor seconds and exit status, by a process of its own whose children are this test alone"""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        done = subprocess.run(test["command"], cwd=test["folder"], env=os.environ | test["environment"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, f"{used.ru_utime + used.ru_stime} {done.returncode}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        seconds, status = answer.read().split()
    os.waitpid(child, 0)
    return float(seconds), int(status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("-L", dest="label")
    parser.add_argument("-LE", dest="without")
    parser.add_argument("-R", dest="name")
    parser.add_argument("--most", type=float)
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    options = parser.parse_args()
    wanted = [test for test in tests(options.build) if chosen(test, options)]
    total, bad = 0.0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, (seconds, status) in zip(wanted, pool.map(measured, wanted)):
            failed = status not in (0, test["skip"])
            slow = options.most is not None and seconds > options.most
            bad += failed or slow
            total += seconds
            print(f"{seconds:8.2f} {test['name']}{' FAILED' if failed else ''}{' TOO LONG' if slow else ''}", flush=True)
    print(f"{total:8.1f} in all, {len(wanted)} tests")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

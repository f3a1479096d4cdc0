#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [options] WHERE...: does a test notice when the code is wrong?

Makes one small change at a time in C files (a sign, a constant, a comparison, an operator, a condition), builds the
library, and runs the tests that execute the changed line until one of them fails.  A change that no test notices
survives: either the code does not matter there, or a test is missing.

Works on a copy of the repository below --copy: nothing here is touched, and it can be stopped at any time.  What was
found is kept there and is not tried again, so that an interrupted pass continues.  Needs clang and llvm
(which lines a test executes), ninja, and what the tests need; ccache helps.

  WHERE            a folder or file below src/; with =N after it another limit than --limit
  --copy DIR       where the copy, its build and the results live, default build/mutate
  --limit N        at most N changes in each WHERE, spread evenly over all there are; default 60
  --slowest S      leave out tests that take longer than this many seconds of a processor, default 12
  --most S         seconds of tests per change, the most promising first; default: all that execute it
  --jobs N         changes tried at a time, default one per processor
  --again          try the survivors of earlier passes again, with the tests as they are now
  --list           print the changes that would be made, and stop

The survivors are printed and, with those of earlier passes, written to DIR/survivors.txt; what was decided about them
is in tests/mutation/README.md.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

STOPPED = threading.Event()  # by ^C: workers end what they run and start nothing more

# ---- which changes ----

Change = collections.namedtuple("Change", "path number kind old new")

TURNED = {" < ": " >= ", " <= ": " > ", " > ": " <= ", " >= ": " < ", " == ": " != ", " != ": " == "}
OPPOSITE = [("sin", "cos"), ("fmin", "fmax"), ("v3_add", "v3_sub"), ("force_add", "force_sub"), ("dual_add", "dual_sub"),
            ("dual3_add", "dual3_sub"), ("row_add", "row_sub")]
SWAPPED = {a + "(": b + "(" for pair in OPPOSITE for a, b in (pair, pair[::-1])}


def other_number(text):
    """A number that is wrong: half the digits of a tolerance, half as much again, one more."""
    small = re.fullmatch(r"1e-(\d+)", text)
    if small:
        return f"1e-{int(small[1]) // 2}"
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1)
    return repr(float(text) * 1.5 or 1.0)


def comparison(at):
    in_loop = at.string.lstrip().startswith("for (") and at[0] in (" < ", " <= ")
    return " + 1" + at[0] if in_loop else TURNED[at[0]]  # a loop loses its last turn; beyond it is not ours to read


NUMBER = r"(?<![\w.])(?<!; \w < )(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?![\w.])"
CHANGES = [  # kind, pattern, replacement
    ("sign", r" [-+] ", lambda at: " - " if at[0] == " + " else " + "),
    ("sign", r" [-+]= ", lambda at: " -= " if at[0] == " += " else " += "),
    ("sign", r"(?:(?<=[=,:?(*] )|(?<=\()|(?<=return ))-(?=[a-z(]|\d+\.)", lambda at: ""),
    ("operator", r" [*/] ", lambda at: " / " if at[0] == " * " else " * "),
    ("function", r"(?<!\w)(?:" + "|".join(map(re.escape, SWAPPED)) + ")", lambda at: SWAPPED[at[0]]),
    ("function", r"(?<!\w)(?:fabs|sqrt)\(", lambda at: "("),
    ("comparison", r" (?:<=|>=|==|!=|<|>) ", comparison),
    ("condition", r" (?:&&|\|\|) ", lambda at: " || " if at[0] == " && " else " && "),
    ("condition", r"(?<=[( ])!(?=[a-z(])", lambda at: ""),
    ("constant", NUMBER, lambda at: other_number(at[0])),
    ("return", r"return (?:true|false);", lambda at: "return false;" if "true" in at[0] else "return true;"),
]
# nothing to see: checks of our own, sizes of memory, texts, numbers of an enum, failed allocations
SKIP = re.compile(r"assert|sizeof|[cm]alloc|realloc|arena|carve|printf|lwi_fail|_MEMORY|\benum\b|\bfree\(|LWI_(?:TAKE|ROOM|CARVE)|"
                  r"\{0\}|^\s*(?:char|case)\b|memset|__attribute__|\bgoto\b")
ABSENT = re.compile(r"#ifdef LWI_(?:THREADS|HAVE_X86_KERNELS)")  # not in this build
SIZES = re.compile(r"(?:^ *|const |static |\()(?!return)[a-z_0-9]+ \**\w+(?:\[[^\]]*\])+|"
                   r"(?<=, )(?:double|int|real) \**\w+(?:\[[^\]]*\])+|\(\*\w+\)\[[^\]]*\]")


def blanked(line):
    """The line with texts, comments and sizes of arrays replaced by blanks of the same length."""
    line = SIZES.sub(lambda at: " " * len(at[0]), line)
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?(?:\*/|$)|//.*', lambda at: " " * len(at[0]), line)


def code_lines(path):
    """(number, line, line without texts and comments) of the lines in which a change may matter."""
    inside = macro = absent = False
    for number, line in enumerate(open(path), 1):
        stripped = line.strip()
        if inside or stripped.startswith("/*"):
            inside = "*/" not in stripped
            continue
        directive = macro or stripped.startswith("#")
        absent = bool(ABSENT.match(stripped)) or (absent and not stripped.startswith(("#else", "#endif")))
        macro = directive and stripped.endswith("\\")
        if not directive and not absent and not SKIP.search(line):
            inside = "/*" in stripped and "*/" not in stripped
            yield number, line, blanked(line.rstrip("\n"))


def find_changes(paths):
    found = []
    for path in paths:
        for number, line, code in code_lines(path):
            for kind, pattern, replace in CHANGES:
                for at in re.finditer(pattern, code):
                    found.append(Change(path, number, kind, line, line[:at.start()] + replace(at) + line[at.end():]))
    return found


def c_files(where):
    if os.path.isfile(where):
        return [where]
    return sorted(os.path.join(folder, f) for folder, _, files in os.walk(where) for f in files if f.endswith((".c", ".h")))


def spread(every, limit):
    return every if len(every) <= limit else [every[(2 * i + 1) * len(every) // (2 * limit)] for i in range(limit)]


# ---- the copy and its build ----

def call(command, **more):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)


def update_copy(tree):
    """Makes the copy equal to the files here; a file that is equal already keeps its time."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True)
    for name in names.stdout.splitlines():
        target = os.path.join(tree, name)
        if not os.path.isfile(name):
            continue
        if not os.path.isfile(target) or open(name, "rb").read() != open(target, "rb").read():
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(name, target)


def build(tree, folder):
    """Light optimisation, one kind of kernels, a shared library with all symbols: a change costs few seconds."""
    options = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
               "-DCMAKE_C_FLAGS=-w -fprofile-instr-generate -fcoverage-mapping", "-DLINKWORK_TEST_SHARED=ON",
               "-DLINKWORK_PORTABLE=ON", "-DLINKWORK_THREADS=OFF", "-DLINKWORK_TESTS=ON"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    call(["cmake", "-G", "Ninja", "-S", tree, "-B", folder] + options)
    call(["ninja", "-C", folder, "-j", str(os.cpu_count()), "linkwork", "cli/all", "tests/all"])


# ---- tests: how long they take and what they execute ----

def set_limits(seconds):
    for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, 4 << 30), (resource.RLIMIT_FSIZE, 1 << 28),
                       (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, most))


def run_test(test, seconds, profile="/dev/null"):
    """Whether it holds within this time of a processor; what hangs does not."""
    if STOPPED.is_set():
        return False
    environment = dict(os.environ, LLVM_PROFILE_FILE=profile, **test["environment"])
    process = subprocess.Popen(test["command"], cwd=test["folder"], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                               preexec_fn=lambda: set_limits(int(seconds)))
    end = time.monotonic() + 30 * seconds
    try:
        while process.poll() is None and time.monotonic() < end and not STOPPED.is_set():
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                pass
        return process.returncode in (0, test["skipped"])
    finally:  # also what it has started, and after ^C
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def list_tests(folder):
    listed = json.loads(subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True,
                                       capture_output=True, text=True).stdout)
    for test in listed["tests"]:
        kind = test["name"].split("/")[0]
        properties = {p["name"]: p["value"] for p in test["properties"]}
        if kind in ("tools", "install", "bench", "fuzz", "example") or "slow" in properties.get("LABELS", []):
            continue
        if "command" in test:
            yield {"name": test["name"], "command": test["command"],
                   "environment": dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", [])),
                   "folder": properties.get("WORKING_DIRECTORY", folder),
                   "skipped": properties.get("SKIP_RETURN_CODE", 0)}


def replace_file(place, text):
    with open(place + ".new", "w") as file:
        file.write(text)
    os.replace(place + ".new", place)


def hash_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def executed_lines(raw, library, tree):
    """{file: lines executed} of the library, and {file: lines that can be executed}."""
    data = raw + ".data"
    subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", data], check=True)
    text = subprocess.run(["llvm-cov", "export", "-format=lcov", library, "-instr-profile=" + data], check=True,
                          capture_output=True, text=True).stdout
    executed, known, path = collections.defaultdict(list), collections.defaultdict(list), None
    for row in text.splitlines():
        if row.startswith("SF:"):
            path = os.path.relpath(row[3:], tree)
        elif row.startswith("DA:"):
            number, count = row[3:].split(",")[:2]
            known[path].append(int(number))
            if int(count):
                executed[path].append(int(number))
    os.remove(data)
    os.remove(raw)
    return executed, known


def processor_time():
    """Of the tests so far: a busy machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(test, library, tree, copy):
    raw = os.path.join(copy, "profile")
    if os.path.exists(raw):
        os.remove(raw)
    start = processor_time()
    holds = run_test(test, 100, raw + "%1m" if "python" in test["command"][0] else raw)
    seconds = processor_time() - start
    pooled = [f for f in os.listdir(copy) if f.startswith("profile") and f != "profile"]
    if pooled:
        os.replace(os.path.join(copy, max(pooled, key=lambda f: os.path.getsize(os.path.join(copy, f)))), raw)
    executed, known = executed_lines(raw, library, tree) if holds and os.path.exists(raw) else ({}, None)
    if known:
        replace_file(os.path.join(copy, "statements.json"), json.dumps(known))
    return {"holds": holds, "seconds": seconds, "lines": executed}


def map_tests(copy, tree, folder, slowest):
    """The tests that hold, fast ones first, each with its time and the lines that it executes."""
    library = os.path.join(folder, "liblinkwork.so")
    of_library = hash_of([library])
    tests = list(list_tests(folder))
    os.makedirs(os.path.join(copy, "tests"), exist_ok=True)
    for test in tests:
        place = os.path.join(copy, "tests", test["name"].replace("/", "-") + ".json")
        key = of_library + hash_of(f for f in test["command"] if os.path.isfile(f))
        known = json.load(open(place)) if os.path.exists(place) else {}
        if known.get("key") != key:
            known = dict(measure(test, library, tree, copy), key=key)
            print(f"{test['name']}: {known['seconds']:.1f} s", flush=True)
            replace_file(place, json.dumps(known))
        test.update(known, lines={f: set(n) for f, n in known["lines"].items()})
    for test in tests:
        if not test["holds"] or test["seconds"] > slowest:
            print(f"left out: {test['name']}, {'slow' if test['holds'] else 'does not hold without a change'}")
    return sorted((t for t in tests if t["holds"] and t["seconds"] <= slowest), key=lambda t: t["seconds"])


# ---- one change ----

IN_CHILDREN = ["failure/misuse"]  # processes that end without a profile: nobody knows what they execute
# tests that are made of headers alone and know nothing of the library
OF_HEADERS = {"src/math": ["unit/math_plain", "unit/math_four", "unit/math_packed"]}


class Recipe:
    """How ninja makes one file: its link command, and the commands of the objects in it."""

    def __init__(self, folder, target):
        lines = subprocess.run(["ninja", "-C", folder, "-t", "commands", target], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        self.link = next(line for line in reversed(lines) if f" -o {target}" in line)
        if shutil.which("ld.lld"):
            self.link = self.link.replace(" -o ", " -fuse-ld=lld -o ", 1)
        self.target = re.search(r" -o (\S+)", self.link)[1]
        self.compile = {at[1]: re.sub(r"^\S*ccache |-MD .*?(?=-o )", "", line).replace(" -O3 ", " ") for line in lines
                        for at in [re.search(r" -o (\S+\.o) -c ", line)] if at and at[1] in self.link}

    def make(self, folder, objects, overlay, out):
        """With some objects compiled again through the overlay; says whether the compiler agrees."""
        link = self.link.replace(f" -o {self.target}", f" -o {out}")
        for number, name in enumerate(objects):
            again = f"{out}.{number}.o"
            command = self.compile[name].replace(f" -o {name} ", f" -ivfsoverlay {overlay} -o {again} ")
            if STOPPED.is_set() or subprocess.run(command, shell=True, cwd=folder, stderr=subprocess.DEVNULL,
                                                  check=False).returncode:
                return False
            link = link.replace(f" {name} ", f" {again} ")
        return subprocess.run(link, shell=True, cwd=folder, check=False).returncode == 0


def objects_by_file(folder, tree):
    """{path: objects that are compiled from it}, as ninja has seen it."""
    users, name = collections.defaultdict(set), None
    for line in subprocess.run(["ninja", "-C", folder, "-t", "deps"], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        if line and not line.startswith(" "):
            name = line.split(":")[0]
        elif line:
            users[os.path.relpath(os.path.join(folder, line.strip()), tree)].add(name)
    return users


class Pass:
    def __init__(self, copy, slowest, most, results):
        self.most = most
        self.copy = os.path.abspath(copy)
        self.tree, self.folder = os.path.join(self.copy, "tree"), os.path.join(self.copy, "build")
        os.makedirs(self.tree, exist_ok=True)
        update_copy(self.tree)
        build(self.tree, self.folder)
        self.tests = map_tests(self.copy, self.tree, self.folder, slowest)
        with open(os.path.join(self.copy, "statements.json")) as file:
            self.statements = {f: set(n) for f, n in json.load(file).items()}
        self.users = objects_by_file(self.folder, self.tree)
        self.library = Recipe(self.folder, "liblinkwork.so")
        self.of_headers = {name: Recipe(self.folder, "tests/test_" + name.replace("/", "_"))
                           for names in OF_HEADERS.values() for name in names}
        self.noticed_by = collections.Counter()  # (file or folder, test): how often
        for r in results.values():
            self.count(r["path"], r["noticed"])

    def fitting_tests(self, change):
        """Those that execute the line, or the file if it is no statement; best first."""
        fitting = []
        is_statement = change.number in self.statements.get(change.path, ())
        for test in self.tests:
            lines = test["lines"].get(change.path, ())
            if test["name"] in IN_CHILDREN or (change.number in lines if is_statement else lines):
                fitting.append(test)
        fitting.sort(key=lambda t: self.cost(change.path, t))
        used = itertools.accumulate(t["seconds"] for t in fitting)
        return [t for t, end in zip(fitting, used) if end <= self.most]

    def cost(self, path, test):
        """Seconds per change that it notices, by what it has noticed nearby."""
        near = 3 * self.noticed_by[path, test["name"]] + self.noticed_by[os.path.dirname(path), test["name"]]
        return (test["seconds"] + 0.05) / (near + 0.5)

    def count(self, path, test):
        for place in (path, os.path.dirname(path)):
            self.noticed_by[place, test] += 1

    def write_overlay(self, change, place):
        """The compiler sees the changed file in place of the file; nothing else does."""
        original = os.path.join(self.tree, change.path)
        lines = open(original).read().splitlines(keepends=True)
        lines[change.number - 1] = change.new
        changed = os.path.join(place, "changed" + os.path.splitext(change.path)[1])
        with open(changed, "w") as file:
            file.writelines(lines)
        with open(os.path.join(place, "overlay.yaml"), "w") as file:
            json.dump({"version": 0, "roots": [{"type": "file", "name": original, "external-contents": changed}]}, file)

    def make(self, recipe, change, place, out):
        objects = sorted(self.users[change.path] & recipe.compile.keys())
        return recipe.make(self.folder, objects, os.path.join(place, "overlay.yaml"), os.path.join(place, out))

    def fails(self, test, place, command):
        changed = dict(test, command=command, environment=dict(test["environment"], LD_LIBRARY_PATH=place))
        return not run_test(changed, 3 + 4 * test["seconds"])

    def who_notices_headers(self, change, place):
        """As below, by tests that are made of headers: few files are compiled for them."""
        for test in self.tests:
            if test["name"] not in OF_HEADERS.get(os.path.dirname(change.path), ()):
                continue
            out = test["name"].replace("/", "_")
            if not self.make(self.of_headers[test["name"]], change, place, out):
                return "compiler"
            if self.fails(test, place, [os.path.join(place, out)]):
                return test["name"]
        return None

    def who_notices(self, change, place):
        """A test, "compiler", or None."""
        fitting = self.fitting_tests(change)
        self.write_overlay(change, place)
        noticed = self.who_notices_headers(change, place)
        if noticed or not fitting:
            return noticed
        if not self.make(self.library, change, place, "liblinkwork.so.0"):
            return "compiler"
        for test in fitting:
            if self.fails(test, place, test["command"]):
                self.count(change.path, test["name"])
                return test["name"]
        return None

    def judge(self, change):
        """What becomes of a change, as a record; None where the pass was stopped."""
        with tempfile.TemporaryDirectory(dir=self.copy) as place:
            noticed = None if STOPPED.is_set() else self.who_notices(change, place)
        return None if STOPPED.is_set() else dict(change._asdict(), key=key_of(change), old=change.old.strip(),
                                                  new=change.new.strip(), noticed=noticed,
                                                  tests=len(self.fitting_tests(change)))


# ---- results ----

def key_of(change):
    return "|".join((change.path, change.old.strip(), change.new.strip()))


def read_results(place):
    if not os.path.exists(place):
        return {}
    return {r["key"]: r for r in map(json.loads, open(place))}


def write_survivors(place, results):
    with open(place, "w") as file:
        for r in sorted((r for r in results.values() if not r["noticed"]), key=lambda r: (r["path"], r["number"])):
            file.write(f"{r['path']}:{r['number']} {r['kind']}, {r['tests']} tests\n  - {r['old']}\n  + {r['new']}\n")


def keep_result(copy, results, r):
    results[r["key"]] = r
    with open(os.path.join(copy, "results.jsonl"), "a") as file:
        file.write(json.dumps(r) + "\n")
    print(f"{r['path']}:{r['number']} {r['kind']}: {r['noticed'] or 'SURVIVED'}", flush=True)
    if not r["noticed"]:
        print(f"  - {r['old']}\n  + {r['new']}", flush=True)
        write_survivors(os.path.join(copy, "survivors.txt"), results)


def print_sums(results):
    sums = collections.defaultdict(collections.Counter)
    for r in results.values():
        for name in (os.path.dirname(r["path"]), "all"):
            sums[name]["noticed" if r["noticed"] else "survived"] += 1
    for name, sum_ in sorted(sums.items(), key=lambda s: (s[0] == "all", s[0])):
        print(f"{name:16} {sum(sum_.values()):5} tried {sum_['noticed']:5} noticed {sum_['survived']:5} survived")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", nargs="+")
    parser.add_argument("--copy", default="build/mutate")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--slowest", type=float, default=12)
    parser.add_argument("--most", type=float, default=math.inf)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    o = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    every, changes = [], []
    for where, _, limit in (w.partition("=") for w in o.where):
        here = find_changes(c_files(os.path.normpath(where)))
        every += here
        changes += spread(here, int(limit or o.limit))
    if o.list:
        for c in changes:
            print(f"{c.path}:{c.number} {c.kind}\n  - {c.old.strip()}\n  + {c.new.strip()}")
        print(f"{len(changes)} of {len(every)}")
        return 0
    results = read_results(os.path.join(o.copy, "results.jsonl"))
    if o.again:
        changes = [c for c in every if not results.get(key_of(c), {"noticed": True})["noticed"]]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as ^C
    run = Pass(o.copy, o.slowest, o.most, results)
    changes = {key_of(c): c for c in changes if o.again or key_of(c) not in results}.values()
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as workers:
        try:
            for done in concurrent.futures.as_completed([workers.submit(run.judge, c) for c in changes]):
                keep_result(o.copy, results, done.result())
        except KeyboardInterrupt:
            STOPPED.set()
    print_sums(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The module linkwork._linkwork: every function and type of the public headers, and collect.c.

The declarations that cffi needs are the headers themselves, after the C preprocessor: nothing is written twice.  See docs/decisions/021."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import typing

from cffi import FFI

HERE = pathlib.Path(__file__).resolve().parent
SYSTEM_HEADERS = ("stdbool.h", "stddef.h", "stdint.h", "signal.h", "math.h")


class Library(typing.NamedTuple):
    pc_text: str  # of its .pc file
    include: str
    link: list[str]


def from_build(folder):
    """A build folder, whose source folder CMake has noted."""
    text = (folder / "linkwork.pc").read_text()
    source = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (folder / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    private = re.search(r"^Libs.private: (.*)$", text, re.MULTILINE)
    needed = shlex.split(private[1]) if private else []
    return Library(text, f"{source}/include", [str(folder / "liblinkwork-page.a"), str(folder / "liblinkwork.a"), *needed, "-lz"])


def from_pkg_config():
    """An installed linkwork, linked statically, so that the package does not need it afterwards."""
    def ask(*what):
        return subprocess.run(["pkg-config", *what, "linkwork"], check=True, capture_output=True, text=True).stdout.strip()
    folder = pathlib.Path(ask("--variable=pcfiledir"))
    link = [x for w in shlex.split(ask("--static", "--libs")) for x in (["-l:liblinkwork-page.a", "-l:liblinkwork.a"] if w == "-llinkwork" else [w])]
    return Library((folder / "linkwork.pc").read_text(), ask("--variable=includedir"), link + ["-lz"])


def find_library():
    given = os.environ.get("LINKWORK_BUILD")
    folders = [pathlib.Path(given).resolve()] if given else [HERE.parent / "build" / name for name in ("release", "ci")]
    for folder in folders:
        if (folder / "liblinkwork.a").exists():
            return from_build(folder)
    if not given:
        try:
            return from_pkg_config()
        except (OSError, subprocess.CalledProcessError):
            pass
    raise SystemExit("There is no linkwork library in " + ", ".join(map(str, folders)) + ": run `make` in its repository "
                     "first, or set LINKWORK_BUILD to its build folder, or install it where pkg-config finds it.")


def declarations(include):
    """all.h after the preprocessor, without what system headers and compilers add."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            (pathlib.Path(empty) / name).write_text("")
        text = subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-E", "-P", "-nostdinc", "-I", empty, "-I", include,
                               "-D__attribute__(x)=", f"{include}/linkwork/all.h"],
                              check=True, capture_output=True, text=True).stdout
    # cffi cannot write the type of a pointer to constant arrays: the same without `const`
    return re.sub(r"const (\w+)(?= \(\*\w+\)\[)", r"\1", text)


def make(library):
    collect = (HERE / "collect.h").read_text()
    ffi = FFI()
    ffi.cdef("typedef int sig_atomic_t;\nstruct page_parts;\n" + declarations(library.include)
             + "\n".join(re.findall(r"^/\* python \*/\n(.*?)^/\* end \*/", collect, re.MULTILINE | re.DOTALL)))
    ffi.cdef('extern "Python" int lwpy_check_signals(void *handle);'
             'extern "Python" int lwpy_on_event(void *handle, lw_event_report *report, bool after);'
             'extern "Python" int lwpy_on_control(void *handle, double t, double *q, double *u, double *inputs);'
             'extern "Python" int lwpy_on_law(void *handle, double t, double *q, double *u, double *inputs);'
             'extern "Python" int lwpy_on_law_derivative(void *handle, double t, double *q, double *u, lw_input_direction *along,'
             '                                           double *inputs_p);'
             'void free(void *p);')
    ffi.set_source("linkwork._linkwork", '#include <stdlib.h>\n#include <linkwork/all.h>\n' + collect,
                   include_dirs=[library.include], depends=[w for w in library.link if w.endswith(".a")] + [str(HERE / "collect.h")], extra_link_args=library.link + ["-Wl,--as-needed,--exclude-libs,ALL"],
                   extra_compile_args=["-g0", "-Wno-incompatible-pointer-types", "-Wno-discarded-qualifiers"])
    return ffi


if __name__ != "__main__":
    ffibuilder = make(find_library())

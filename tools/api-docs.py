#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/api.md from the public headers: the everyday ones first, then those of all.h, each declaration with its
comment.  With --check it writes nothing and fails if the file is not current, if all.h does not include a header, or if
the everyday headers have more than MOST functions."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/linkwork"
OUTPUT = ROOT / "docs/api.md"
INCLUDE = re.compile(r'^#include "linkwork/(\w+\.h)"', re.MULTILINE)
MOST = 75
UMBRELLAS = {"linkwork.h", "all.h", "core.h", "export.h"}


def in_order():
    """(everyday headers, the others): in the order of the lists at the top of linkwork.h and all.h."""
    everyday = listed("linkwork.h", reached("linkwork.h"))
    others = listed("all.h", {p.name for p in HEADERS.glob("*.h")} - set(everyday))
    return everyday, others


def listed(umbrella, names):
    text = (HEADERS / umbrella).read_text().split("#ifndef")[0]
    names = set(names) - UMBRELLAS
    return sorted(names, key=lambda n: (text.find(n) if n in text else -1, n))


def reached(name, seen=None):
    seen = set() if seen is None else seen
    for other in INCLUDE.findall((HEADERS / name).read_text()):
        if other not in seen:
            seen.add(other)
            reached(other, seen)
    return seen


class Header:
    """The opening comment, and groups: a title, or declarations that stand together, with their comments."""

    def __init__(self, name):
        text = (HEADERS / name).read_text()
        comments = re.findall(r"/\*.*?\*/", text, re.DOTALL)
        self.name, self.intro = name, plain(comments[1]).split(" -- ", 1)[1]
        body = text[text.index("#define LINKWORK_"):]
        body = re.sub(r'#ifdef __cplusplus\n.*?\n#endif\n', "\n", body, flags=re.DOTALL)
        body = re.sub(r"^#(define LINKWORK_|include|endif|undef).*\n", "", body, flags=re.MULTILINE)
        self.groups = [group for group in paragraphs(body)]
        self.count = len(re.findall(r"\bLW_API\b", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))


def paragraphs(body):
    """Splits at blank lines that are not inside braces, comments or macros."""
    group, depth = [], 0
    for line in body.split("\n"):
        code = re.sub(r"/\*.*?\*/", "", line)
        if not line.strip() and depth == 0:
            if group:
                yield "\n".join(group)
            group = []
            continue
        group.append(line)
        depth += code.count("{") - code.count("}") + line.count("/*") - line.count("*/")
    if group:
        yield "\n".join(group)


def plain(comment):
    text = re.sub(r"^/\*+ ?|\s*\*+/$", "", comment.strip())
    return re.sub(r"\n   ", "\n", text).strip()


def print_intro(text):
    """Paragraphs as text, indented examples as code."""
    for part in re.split(r"\n\s*\n", text):
        lines = part.split("\n")
        if all(line.startswith("  ") for line in lines) or re.match(r"\w+\.h  ", part):
            yield "```\n" + "\n".join(line[2:] if line.startswith("  ") else line for line in lines) + "\n```\n"
        else:
            yield " ".join(line.strip() for line in lines) + "\n"


def print_group(group):
    """Titles become headings; a leading comment becomes text; the rest is code."""
    title = re.match(r"/\* -{4} (.*?)(?: -{4,})? ?-* \*/\s*", group, re.DOTALL)
    if title:
        yield "### " + re.sub(r"\s+", " ", title[1]) + "\n"
        group = group[title.end():]
    while group.strip():
        comment = re.match(r"/\*(?:(?!\*/).)*\*/\n", group, re.DOTALL)
        if comment:
            yield re.sub(r"\s+", " ", plain(comment[0])) + "\n"
            group = group[comment.end():]
        # up to the next comment that begins a line
        next_comment = re.search(r"\n(?=/\*)", group)
        end = next_comment.end() if next_comment else len(group)
        code = group[:end].replace("LW_API ", "").rstrip()
        if code:
            yield "```c\n" + code + "\n```\n"
        group = group[end:]


def print_header(header):
    yield f"## linkwork/{header.name}\n"
    yield from print_intro(header.intro)
    for group in header.groups:
        yield from print_group(group)


def print_all():
    everyday, others = ([Header(n) for n in names] for names in in_order())
    count = sum(h.count for h in everyday), sum(h.count for h in others)
    yield "# Functions by header\n"
    yield "<!-- made by tools/api-docs.py from include/linkwork: change the headers, then run it -->\n"
    yield (f"`linkwork/linkwork.h` has the {count[0]} functions of everyday use, `linkwork/all.h` all "
           f"{sum(count)}. Conventions:\n")
    conventions = (HEADERS / "linkwork.h").read_text().split("\n\n")
    yield " ".join(line.strip() for line in plain(conventions[-1].split("*/")[0]).split("\n")) + "\n"
    for title, headers in (("Everyday", everyday), ("Beside them", others)):
        yield f"{title}: " + ", ".join(
            f"[{h.name}](#linkwork{h.name.replace('.', '')}) ({h.count})" for h in headers) + ".\n"
    for header in everyday + others:
        yield from print_header(header)


def complaints(text):
    missing = sorted({p.name for p in HEADERS.glob("*.h")} - UMBRELLAS - reached("all.h"))
    if missing:
        yield "all.h does not include " + ", ".join(missing)
    everyday = sum(Header(name).count for name in in_order()[0])
    if everyday > MOST:
        yield f"linkwork.h has {everyday} functions: more than {MOST} are not for everyday use"
    if not OUTPUT.exists() or OUTPUT.read_text() != text:
        yield "docs/api.md is not what the headers say: run tools/api-docs.py"


def main():
    text = "\n".join(print_all())
    if "--check" not in sys.argv:
        OUTPUT.write_text(text)
        return 0
    wrong = list(complaints(text))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())

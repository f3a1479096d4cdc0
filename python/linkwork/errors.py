# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class per status of the library, with its message and the place in the file."""
from __future__ import annotations

from typing import Any, NoReturn

from ._linkwork import ffi, lib


class Error(Exception):
    """Something that linkwork refuses or cannot do.

    `text` says what is wrong, `file`, `line` and `column` where (line and column count from 1; 0: not in a file), `status` is
    the name of the status of the C library.

    >>> import linkwork as lw
    >>> try:
    ...     lw.loads("linkwork: 1\\nbodies: {a: {mess: 1}}")
    ... except lw.Error as e:
    ...     print(e.line, e.column, e.status)
    2 14 LW_E_MODEL
    """
    status = "LW_E"

    def __init__(self, text: str, file: str | None = None, line: int = 0, column: int = 0) -> None:
        super().__init__(text, file, line, column)
        self.text, self.file, self.line, self.column = text, file, line, column

    def __str__(self) -> str:
        if not self.file or f"{self.file}:" in self.text[:len(self.file) + 1]:
            return self.text
        place = f":{self.line}:{self.column}" if self.line > 0 else ""
        return f"{self.file}{place}: {self.text}"


class ReadWarning(UserWarning):
    """What the reader of a robot file has repaired, changed or left out: a line each."""


class OutOfMemory(Error, MemoryError):
    """Memory was refused."""
    status = "LW_E_MEMORY"


class ArgumentError(Error, ValueError):
    """An argument is wrong."""
    status = "LW_E_ARG"


class ModelError(Error, ValueError):
    """The model is wrong: `line` and `column` say where."""
    status = "LW_E_MODEL"


class FileError(Error, OSError):
    """A file cannot be read or written."""
    status = "LW_E_FILE"


class StageError(Error, RuntimeError):
    """A result was asked for before the call that computes it."""
    status = "LW_E_STAGE"


class SingularError(Error, ArithmeticError):
    """The mass matrix is singular: something moves without inertia."""
    status = "LW_E_SINGULAR"


class NumberError(Error, ArithmeticError):
    """A number is not finite."""
    status = "LW_E_NUMBER"


class NotConverged(Error, ArithmeticError):
    """An iteration or integration did not reach its tolerance."""
    status = "LW_E_NOT_CONVERGED"


class Unsupported(Error, NotImplementedError):
    """linkwork cannot solve this yet."""
    status = "LW_E_UNSUPPORTED"


class Stopped(Error, RuntimeError):
    """Stopped on request, or by a `stop` event."""
    status = "LW_E_STOPPED"


_CLASSES: dict[int, type[Error]] = {getattr(lib, c.status): c for c in (
    OutOfMemory, ArgumentError, ModelError, FileError, StageError, SingularError, NumberError, NotConverged, Unsupported, Stopped)}


def new_error() -> Any:
    return ffi.new("lw_error *")


def text_of(c: Any) -> str:
    return str(ffi.string(c).decode("utf-8", "replace")) if c else ""


def fail(err: Any, file: str | None = None, what: str = "", status: int = 0) -> NoReturn:
    """Raises what an lw_error says, or what a status means."""
    code = int(err.status) or status
    text = text_of(err.text) or text_of(lib.lw_status_text(code))
    where = text_of(err.file) or file
    place = f"{where}:{err.line}:{err.column}: "
    if where and err.line > 0 and text.startswith(place):
        text = text[len(place):]
    elif where and text.startswith(f"{where}: "):
        text = text[len(where) + 2:]
    raise _CLASSES.get(code, Error)(f"{what}: {text}" if what else text, where, err.line, err.column)


def check(status: int, what: str = "") -> None:
    """Raises the exception of a status other than LW_OK."""
    if status != 0:
        text = text_of(lib.lw_status_text(status))
        raise _CLASSES.get(status, Error)(f"{what}: {text}" if what else text)

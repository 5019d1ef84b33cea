"""Replaces the code of changed functions in a running process.

References hold the function object, which holds its code. So imports, decorators and methods call
the new code from then on.
"""

import gc
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any


class NotReplaceable(Exception):
    """The change runs at import, so it needs a new process."""


def replace_code(path: Path, source: str, text: str) -> None:
    """Apply the differences between the loaded `source` and `text`.

    Raises NotReplaceable if more than the code of functions differs.
    """
    importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    old, new = compile(source, str(path), "exec"), compile(text, str(path), "exec")
    if _own(old) != _own(new):
        raise NotReplaceable
    changed = dict(_changed(old, new))
    found = 0
    for function in gc.get_objects():
        if type(function) is FunctionType and _place(function.__code__)[1:] in changed:
            if not function.__code__.co_filename.endswith(str(path)):
                continue
            code = changed[_place(function.__code__)[1:]]
            if len(code.co_freevars) != len(function.__code__.co_freevars):
                raise NotReplaceable
            function.__code__ = code
            found += 1
    if not found:
        raise NotReplaceable


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """Return the nested functions that differ; a changed class body cannot be replaced."""
    before, after = _nested(old), _nested(new)
    if len(before) != len(after):
        raise NotReplaceable
    for one, other in zip(before, after, strict=True):
        if one.co_name != other.co_name:
            raise NotReplaceable
        if _own(one) != _own(other) and not _is_function(one):
            raise NotReplaceable
        inner = list(_changed(one, other))
        yield from inner
        if _is_function(one) and (inner or _own(one) != _own(other)):
            yield _place(one)[1:], other


def _is_function(code: CodeType) -> bool:
    """Return whether the code is a function: only these have local variables of their own."""
    return bool(code.co_flags & 0x01)


def _nested(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _own(code: CodeType) -> tuple[Any, ...]:
    """Return what identifies a code, without its nested codes and line numbers."""
    constants = tuple(
        (type(constant), repr(constant))
        for constant in code.co_consts
        if not isinstance(constant, CodeType)
    )
    return (
        code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars,
        code.co_cellvars, code.co_flags, code.co_argcount, code.co_kwonlyargcount,
        code.co_exceptiontable,
    )  # fmt: skip


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno

"""Queries the author's class for the build, in a process of its own: `python -m
magpie_vertical.asking MODULE CLASS`.

Prints the world that the class needs. If the module can't be imported, prints the error with the
author's lines, without those of Python's import system.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from types import TracebackType
from typing import TypeGuard

from .vertical import Plugin, Validator, Vertical


def main(module: str, name: str) -> int:
    """Runs the query; returns the exit code."""
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as problem:
        report_problem(problem, module)
        return 1
    if is_plugin(found):
        print(found.world())
        return 0
    what = "has no class" if found is None else "has no subclass of `Vertical` or `Validator` called"
    others = ", ".join(f"`{module}:{each}`" for each in verticals(module))
    advice = f'; write `vertical = "{module}:CLASS"` in [tool.magpie] of pyproject.toml, with'
    print(f"`{module}` {what} `{name}`{advice} {others or 'a class such as `class Jobs(Vertical[Job])`'}", file=sys.stderr)
    return 1


def verticals(module: str) -> list[str]:
    """Names of the module's classes that are verticals or validators."""
    classes = [(name, each) for name, each in vars(sys.modules[module]).items() if isinstance(each, type)]
    return [name for name, each in classes if is_plugin(each)]


def is_plugin(found: object) -> TypeGuard[type[Plugin]]:
    """Returns true for an author's class."""
    return isinstance(found, type) and issubclass(found, Plugin) and found not in (Plugin, Validator, Vertical)


def report_problem(problem: Exception, module: str) -> None:
    """Prints an error and its position."""
    trace = without_import_frames(problem.__traceback__)
    for part in traceback.format_exception(type(problem), problem, trace):
        sys.stderr.write(part.replace(f"{os.getcwd()}{os.sep}", ""))
    if isinstance(problem, ModuleNotFoundError):
        if problem.name == module:
            advice = f'[tool.magpie] of pyproject.toml says `vertical = "{module}:…"`, and src has no such module'
        else:
            advice = "if it is a package, add it to requirements.txt; if it is a module of yours, it belongs into src"
        print(advice, file=sys.stderr)


def without_import_frames(trace: TracebackType | None) -> TracebackType | None:
    """Removes the leading frames of Python's import system and of this package from a traceback."""
    while trace and is_importing(trace):
        trace = trace.tb_next
    return trace


def is_importing(trace: TracebackType) -> bool:
    """Returns true for a frame of the import system or of this package."""
    module: str = trace.tb_frame.f_globals.get("__name__", "")
    return module == __name__ or module.split(".")[0] in ("importlib", "magpie_vertical") or (
        trace.tb_frame.f_code.co_filename.startswith("<frozen importlib")
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

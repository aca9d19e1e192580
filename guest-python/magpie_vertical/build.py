"""Builds a project into a component: `python3 vendor/magpie_vertical/build.py [FOLDER]`.

A project is a folder with a `pyproject.toml`. Its `[project]` has name, version and description;
its `[tool.magpie]` names the class: `vertical = "job_offers:JobOffers"`, where the module is in
`src`. The file `requirements.txt` pins the toolchain, which is installed into `.venv` at the first
build and after each change. It can also list pure Python packages that the vertical imports.

This file needs only Python 3.11.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

# Source of the component's entry module: the author's class under the names that the toolchain
# expects. The import runs at build time; the component starts with a snapshot of the memory after
# it.
ENTRY = """\
from magpie_vertical.component import export
from {module} import {class_name} as Exported

{parts} = export(Exported, {name!r}, {version!r}, {summary!r})
"""


# Names of the exports by world.
PARTS = {"validator": "Description, Validation"}
OTHER_PARTS = "Description, Extraction, Clustering, Querying"


class BuildError(Exception):
    """An error of the build, with a message that says what to do."""


@dataclass
class Project:
    """Content of `pyproject.toml`."""

    folder: Path
    name: str
    version: str
    summary: str
    module: str
    class_name: str

    @property
    def source(self) -> Path:
        """Folder of the author's modules."""
        return self.folder / "src"

    @classmethod
    def open(cls, folder: Path) -> "Project":
        """Reads the project in a folder."""
        manifest = folder / "pyproject.toml"
        try:
            table = tomllib.loads(manifest.read_text())
            project = table["project"]
            module, _, class_name = table["tool"]["magpie"]["vertical"].partition(":")
            return cls(folder, project["name"], project["version"], project.get("description", ""), module, class_name)
        except FileNotFoundError:
            raise BuildError(f"{folder} is not a Python project: it has no pyproject.toml") from None
        except (tomllib.TOMLDecodeError, KeyError) as problem:
            raise BuildError(
                f"{manifest} can't be used: {problem}; it needs `name` and `version` in [project], and in"
                ' [tool.magpie] a line like `vertical = "job_offers:JobOffers"`'
            ) from None


def build(project: Project, out: Path, tools: Path) -> None:
    """Builds the component."""
    provide_tools(tools, project)
    asked: list[str | Path] = [python_in(tools), "-m", "magpie_vertical.asking", project.module, project.class_name]
    # The called module has already printed its error.
    world = run(asked, project, complaint="").strip()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as entry:
        values = {"module": project.module, "class_name": project.class_name}
        values |= {"parts": PARTS.get(world, OTHER_PARTS), "name": project.name, "version": project.version, "summary": project.summary}
        Path(entry, "magpie_entry.py").write_text(ENTRY.format(**values))
        command: list[str | Path] = [executable(tools, "componentize-py"), "-q", "-d", contract(), "-w", world]
        command += ["componentize", "magpie_entry", "-o", out]
        for folder in (entry, PACKAGE.parent, project.source):
            command += ["-p", folder]
        run(command, project, VIRTUAL_ENV=str(tools))
    print(f"{out}  {out.stat().st_size / (1 << 20):.1f} MiB, world {world}")


def provide_tools(tools: Path, project: Project) -> None:
    """Installs the packages in `requirements.txt`, unless they are installed."""
    requirements = project.folder / "requirements.txt"
    if not requirements.is_file():
        raise BuildError(f"{requirements} is missing; it names the toolchain: componentize-py==VERSION")
    done = tools / "magpie-requirements"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if done.is_file() and done.read_text() == digest:
        return
    print(f"installing {requirements} into {tools}", file=sys.stderr)
    venv.create(tools, with_pip=True)
    pip = [python_in(tools), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]
    run(pip, project, complaint=f"pip can't install the packages of {requirements.name}; its output is above")
    # Lets tests and editors find the modules too.
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run([python_in(tools), "-c", find], project).strip())
    (packages / "magpie.pth").write_text(f"{PACKAGE.parent}\n{project.source.resolve()}\n")
    done.write_text(digest)


def contract() -> Path:
    """Folder of the contract: beside this file in a project, at the top in Magpie's own repository.
    """
    for folder in (PACKAGE / "wit", PACKAGE.parents[1] / "wit"):
        if folder.is_dir():
            return folder
    raise BuildError(f"{PACKAGE / 'wit'} is missing; copy it from the version of Magpie this package is from")


def python_in(tools: Path) -> Path:
    """Interpreter of a virtual environment."""
    return executable(tools, "python")


def executable(tools: Path, name: str) -> Path:
    """Path of a program in a virtual environment."""
    return tools / "Scripts" / f"{name}.exe" if os.name == "nt" else tools / "bin" / name


def run(command: list[str | Path], project: Project, complaint: str | None = None, **variables: str) -> str:
    """Runs a program and returns its stdout; its stderr is passed through."""
    search = os.pathsep.join([str(PACKAGE.parent), str(project.source)])
    environment = os.environ | {"PYTHONPATH": search} | variables
    done = subprocess.run(command, env=environment, cwd=project.folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise BuildError(f"{Path(command[0]).name} failed; its output is above" if complaint is None else complaint)
    return done.stdout


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Builds a vertical in Python into a component.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the project [default: here]")
    parser.add_argument("--out", type=Path, help="the component [default: dist/NAME.wasm in the project]")
    parser.add_argument("--tools", type=Path, help="the virtual environment [default: .venv in the project]")
    options = parser.parse_args()
    try:
        project = Project.open(options.folder.resolve())
        out = options.out or project.folder / "dist" / f"{project.name}.wasm"
        build(project, out.resolve(), (options.tools or project.folder / ".venv").resolve())
    except BuildError as problem:
        if str(problem):
            print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

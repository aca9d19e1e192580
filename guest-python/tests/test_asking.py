"""Errors of the build for modules that can't become a component."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

VERTICAL = """\
from magpie_vertical import Record, Text, Vertical

class Job(Record):
    title: Text

class Jobs(Vertical[Job]):
    def extract(self, page):
        return []
"""


class AskingTest(unittest.TestCase):
    def ask(self, source: str, name: str = "Jobs", module: str = "vertical") -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "src").mkdir()
            (Path(folder) / "src/vertical.py").write_text(source)
            path = f"{PACKAGE}:{folder}/src"
            command = [sys.executable, "-m", "magpie_vertical.asking", module, name]
            done = subprocess.run(
                command, cwd=folder, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
            )
        self.assertEqual(done.returncode, 0 if done.stdout else 1, done.stderr)
        return done.stdout.strip(), done.stderr

    def test_the_world_is_printed(self) -> None:
        self.assertEqual(self.ask(VERTICAL), ("extractor", ""))

    def test_a_mistake_is_reported_with_the_authors_lines_only(self) -> None:
        _, output = self.ask(VERTICAL + "\ndef text(said::\n    pass\n")
        self.assertIn('File "src/vertical.py", line 10', output)
        self.assertTrue(output.endswith("SyntaxError: invalid syntax\n"), output)
        self.assertNotIn("importlib", output)
        _, output = self.ask(VERTICAL + "\nnothing\n")
        self.assertIn("line 10, in <module>", output)
        self.assertNotIn("importlib", output)
        _, output = self.ask(VERTICAL.replace("title: Text", "title: bytes"))
        self.assertIn("line 3, in <module>", output)

    def test_missing_modules_and_classes_are_reported_with_advice(self) -> None:
        _, output = self.ask("import dateutil_x\n")
        self.assertIn("No module named 'dateutil_x'\nif it is a package, add it to requirements.txt", output)
        _, output = self.ask(VERTICAL, "JobVertical")
        self.assertIn('has no class `JobVertical`; write `vertical = "vertical:CLASS"` in [tool.magpie]', output)
        self.assertTrue(output.endswith("with `vertical:Jobs`\n"), output)
        _, output = self.ask(VERTICAL, "Job")
        self.assertIn("no subclass of `Vertical` or `Validator` called `Job`", output)
        _, output = self.ask(VERTICAL, module="other")
        self.assertIn("src has no such module", output)


if __name__ == "__main__":
    unittest.main()

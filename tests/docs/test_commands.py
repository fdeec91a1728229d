"""Runs the shell blocks of README and docs as they are printed.

usage: GRIDCAST=PATH test_commands.py [-v] [Plain|Slurm]. Exits with 77 if Slurm cannot be tried here.

A document is one session of a shell in a folder that looks like a clone after tools/start. What is not to be run is
marked otherwise than `sh` in the document, or is a command of EXCLUDED. Documents that use Slurm run one after the
other in one such folder and in the one-machine Slurm of tools/slurm-sandbox, all others at the same time.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRIDCAST = Path(os.environ.get("GRIDCAST", ROOT / "build" / "release" / "gridcast"))
SKIPPED = 77

EXCLUDED = {
    "tools/start": "installs and builds; .ci/run runs it",
    "tools/setup": "installs and configures; tools/start runs it",
    "tools/test": "installs, builds, and runs this",
    "tools/check-fresh": "installs Debian",
    "tools/accuracy": "runs for minutes; shorter among the tests",
    "tools/bench": "measures for minutes to hours",
    "tools/damage-store": "builds, and runs for minutes; shorter among the tests",
    "tools/fuzz": "builds, and runs for minutes; shorter among the tests",
    "tools/kill-sweep": "runs for minutes; shorter among the tests",
    "cmake": "builds",
    "ctest": "runs this",
    ".ci/run": "runs tools/start, tools/test and tools/test --all",
}
COMMAND = re.compile(r"(\S+=\S+ +)*(\. )?(\$ ?)?(gridcast|predictor|mpirun|srun|sbatch|tools/|jobs/|cmake |ctest )")
SLURM = re.compile(r"\b(sbatch|squeue|scancel|scontrol|srun|sinfo)\b|jobs/array\.sbatch")
OWN_SLURM = "tools/slurm-sandbox"


class Block:
    """A shell block: where it begins, and its lines."""

    def __init__(self, document, line):
        self.place = f"{document.relative_to(ROOT)}:{line}"
        self.lines = []

    def commands(self):
        """Lines with those that a backslash continues joined."""
        return "\n".join(self.lines).replace("\\\n", "\\\0").split("\n")

    def needs_slurm(self):
        return any(SLURM.search(line) and OWN_SLURM not in line for line in self.commands())

    def needs_sandbox(self):
        return any(OWN_SLURM in line for line in self.commands())

    def script(self):
        """What is run: without the excluded commands, which must be there."""
        kept = []
        for command in self.commands():
            words = command.split("#")[0].split()
            reason = EXCLUDED.get(words[0]) if words else None
            if reason:
                print(f"{self.place}: not run: {' '.join(words)} ({reason})")
                check_excluded(self.place, words)
            else:
                kept.append(command.replace("\0", "\n"))
        return "\n".join(kept)


def check_excluded(place, words):
    """Of our own tools: that they are there and know the words behind them."""
    tool = ROOT / words[0]
    if "/" not in words[0]:
        return
    assert os.access(tool, os.X_OK), f"{place}: no executable {words[0]}"
    text = tool.read_text(encoding="utf-8")
    for word in words[1:]:
        known = word.isdigit() or re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)
        assert known, f"{place}: {words[0]} does not know {word}"


def blocks_of(document):
    """The shell blocks, and places where commands are not in one."""
    blocks, strays, fence, block = [], [], None, None
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"```+ *(\w*)", line)
        if mark and fence is None:
            fence = mark.group(1)
            block = Block(document, number + 1)
            if fence in ("sh", "bash", "shell"):
                blocks.append(block)
        elif mark:
            fence = None
        elif fence is not None:
            block.lines.append(line)
            if fence == "" and COMMAND.match(line):
                strays.append(f"{document.relative_to(ROOT)}:{number}")
        elif re.match(r"( {4,}|\t)", line) and COMMAND.match(line.strip()):
            strays.append(f"{document.relative_to(ROOT)}:{number}")
    return blocks, strays


def documents():
    return [ROOT / "README.md", *sorted(ROOT.glob("CONTRIBUTING.md")), *sorted((ROOT / "docs").glob("*.md"))]


def slurm_documents():
    return [document for document in documents()
            if any(block.needs_slurm() or block.needs_sandbox() for block in blocks_of(document)[0])]


def no_slurm():
    """Why Slurm cannot be tried here."""
    if os.geteuid() != 0:
        return "the one-machine Slurm needs root"
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=path)]
    return f"no {', '.join(missing)}; tools/setup --tests installs them" if missing else None


# Jobs must have ended, and well, before the next block looks at what they leave.
WAIT_FOR_JOBS = """
until [ -z "$(squeue --noheader --all)" ]; do sleep 0.5; done
if scontrol --oneliner show jobs | grep -v JobState=COMPLETED; then cat out/*.log out/*/*.log; exit 1; fi
"""


class DocumentsTest(unittest.TestCase):
    def clone(self):
        """A new folder that looks like a clone after tools/start."""
        temporary = tempfile.TemporaryDirectory(prefix="docs-")
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name) / "gridcast"
        folder.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("build", "out", ".git", "tools"):
                (folder / entry.name).symlink_to(entry)
        # A copy, because tools/env looks for the build beside itself.
        shutil.copytree(ROOT / "tools", folder / "tools")
        # What tools/start leaves.
        (folder / "out").mkdir()
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(GRIDCAST.parent)
        return folder

    def run_document(self, document, folder, prefix=None):
        """All blocks in one shell, which ends at the first command that fails. Without a prefix that leads to a
        Slurm: those that need none."""
        script = []
        for block in blocks_of(document)[0]:
            if prefix is None and (block.needs_slurm() or block.needs_sandbox()):
                continue
            script += [f"echo '@@ {block.place}' >&2", block.script()]
            if block.needs_slurm():
                script.append(WAIT_FOR_JOBS)
        # A session of a user has none of the settings that a caller of tools/env has.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "GRIDCAST"))}
        done = subprocess.run([*(prefix or ()), "bash", "-e", "-c", "\n".join(script)], cwd=folder, capture_output=True,
                              text=True, check=False, env=kept)
        place = (re.findall(r"^@@ (.*)$", done.stderr, re.MULTILINE) or ["before the first block"])[-1]
        self.assertEqual(done.returncode, 0, f"{place}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


class Plain(DocumentsTest):
    def test_commands_are_in_shell_blocks(self):
        strays = [place for document in documents() for place in blocks_of(document)[1]]
        self.assertEqual(strays, [], "commands outside of blocks that begin with ```sh")

    def test_there_are_blocks(self):
        self.assertGreater(len(blocks_of(ROOT / "README.md")[0]), 1)
        self.assertIn(ROOT / "docs" / "slurm.md", slurm_documents())

    def test_documents(self):
        """One on each core, each in a folder of its own."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = [(document, pool.submit(self.run_document, document, self.clone())) for document in documents()]
        for document, run in runs:
            with self.subTest(document=document.name):
                run.result()


class Slurm(DocumentsTest):
    def test_documents(self):
        with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
            sandbox = ROOT / OWN_SLURM
            clone = self.clone()
            try:
                subprocess.run([sandbox, "start", folder, "--cpus", "4"], check=True)
                for document in slurm_documents():
                    with self.subTest(document=document.name):
                        self.run_document(document, clone, (sandbox, "run", folder, "--"))
            finally:
                subprocess.run([sandbox, "stop", folder], check=True)


if __name__ == "__main__":
    if "Slurm" in sys.argv and no_slurm():
        print(f"skipped: {no_slurm()}")
        sys.exit(SKIPPED)
    unittest.main()

"""check_failing_writes.py GRIDCAST SOURCE INTERPOSER: from some write to a store on all fail, as on a file system that is gone.
A sweep ends with exit code 1 and one line, and goes on from what is there when writes work again."""
import errno
import os
import subprocess
import sys
import tempfile

gridcast, source, interposer = map(os.path.abspath, sys.argv[1:])
SWEEP = [gridcast, "--quiet", "sweep", f"{source}/configs/examples/jacobi2d_10000x10.ptr.gz", "--machine",
         f"{source}/configs/mvs.par", "--max-processors", "12", "--mode", "3", "--store", "S.h5", "--resume=auto"]
FIRST = (*range(1, 33), *range(37, 200, 9))


def run(folder, words, fail=None):
    environment = dict(os.environ)
    if fail:
        environment |= {"LD_PRELOAD": interposer, "POWERCUT_FOLDER": folder, "POWERCUT_LOG": "/dev/null", "POWERCUT_FAIL": fail,
                        "ASAN_OPTIONS": "verify_asan_link_order=0"}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def check(number, first, table):
    """True if a write failed."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        done = run(folder, SWEEP, f"{first}:{number}")
        told = (errno.errorcode[number], first, done.returncode, done.stderr)
        if done.returncode == 0:
            return False
        assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1, told
        assert "S.h5" in done.stderr, told
        again = run(folder, SWEEP)
        assert again.returncode == 0, (told, again.stderr)
        assert run(folder, [gridcast, "export", "S.h5", "--csv", "-"]).stdout == table, told
        return True


with tempfile.TemporaryDirectory() as whole:
    assert run(whole, SWEEP).returncode == 0
    expected = run(whole, [gridcast, "export", "S.h5", "--csv", "-"]).stdout
failed = sum(check(number, first, expected) for number in (errno.EIO, errno.EDQUOT, errno.ESTALE) for first in FIRST)
assert failed > 60, failed
print(f"{failed} sweeps whose writes failed ended well and went on")

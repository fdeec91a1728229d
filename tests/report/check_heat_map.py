"""check_heat_map.py PAGE: the times in the page of sample_search() are its closed form, and a browser shows them.

2 / (p1 p2) + 0.002 (p1 + 2 p2) for all grids of at most 64 processors.
"""
import base64
import math
import os
import re
import subprocess
import sys
import tempfile
import zlib

path = os.path.abspath(sys.argv[1])
with open(path, encoding="utf-8") as file:
    source = file.read()
packed = re.search(r'id="heat-data">([^<]*)<', source).group(1)
data = zlib.decompress(base64.b64decode(packed, validate=True))
count = len(data) // 2
level = 0
levels = []
for low, high in zip(data[:count], data[count:]):
    level = (level + low + 256 * high) % 65536
    levels.append(level)


def time(p1, p2):
    return 2.0 / (p1 * p2) + 0.002 * (p1 + 2 * p2)


grids = [(p1, p2) for p1 in range(1, 65) for p2 in range(1, 64 // p1 + 1)]
assert len(grids) == count, (len(grids), count)
least = min(time(*grid) for grid in grids)
for grid, level in zip(grids, levels):
    shown = least * 1.001 ** (level - 1)
    assert abs(shown / time(*grid) - 1.0) < 0.00051, (grid, shown, time(*grid))


def page_in_browser(fragment):
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--virtual-time-budget=20000", "--dump-dom", f"file://{path}{fragment}"],
            capture_output=True, text=True, check=True)
    assert 'data-ready="yes"' in browser.stdout, browser.stderr
    return re.search(r'id="heat-text"[^>]*>([^<]*)<', browser.stdout).group(1)


def told(p1, p2):
    slower = 100.0 * (time(p1, p2) / least - 1.0)
    text = page_in_browser(f"#grid={p1}x{p2}" if (p1, p2) != (10, 6) else "")
    match = re.fullmatch(rf"{p1}×{p2}, {p1 * p2} processors: ([\d.]+) (m?)s, ([\d.]+) % slower than the fastest", text)
    assert match, text
    seconds = float(match.group(1)) * (1e-3 if match.group(2) else 1.0)
    assert math.isclose(seconds, time(p1, p2), rel_tol=0.001), text
    assert abs(float(match.group(3)) - slower) < 0.05 + 0.001 * (100.0 + slower), text


told(10, 6)  # the best grid, before anything is pointed at
told(3, 20)  # a link to a grid

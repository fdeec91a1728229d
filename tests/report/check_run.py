"""check_run.py PAGE: a browser draws the run of the page: four processors on 2x2, the first two busy for 1.5 of 2 s and
then in an exchange, the others busy for 0.5 s and then idle; the losses are in the order of seconds."""
import os
import re
import subprocess
import sys
import tempfile

path = os.path.abspath(sys.argv[1])


def shown(fragment):
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--virtual-time-budget=20000", "--dump-dom", f"file://{path}{fragment}"],
            capture_output=True, text=True, check=True)
    assert 'data-ready="yes"' in browser.stdout, browser.stderr
    texts = [re.search(rf'id="{name}-text"[^>]*>([^<]*)<', browser.stdout).group(1) for name in ("map", "line")]
    return texts, browser.stdout


(on_map, on_line), page = shown("")
assert on_map == "busy: 50.0 % of the time on average, 25.0 % to 75.0 %", on_map
assert on_line == "0 s to 2.000 s of 2.000 s", on_line
assert re.search(r"4 processors in 2 classes", page)
losses = re.search(r'class="losses">.*?</table>', page, re.S).group(0)
assert losses.index("pipelined loop") < losses.index("contention for net&amp;work")
assert losses.count("<tr") == 4  # head, two losses, all

(on_map, on_line), _ = shown("#processor=3&time=0.5-1")
assert on_map == "processor 3 (1,1): busy 25.0 %, waiting 0.0 %, idle 75.0 %", on_map
assert on_line == "500.0 ms to 1.000 s of 2.000 s", on_line
(on_map, _), _ = shown("#processor=1")
assert on_map == "processor 1 (0,1): busy 75.0 %, waiting 25.0 %, idle 0.0 %", on_map

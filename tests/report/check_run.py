"""check_run.py PAGE: a browser draws the run of the page: four processors on 2x2, the first two busy for 1.5 of 2 s and
then in an exchange, the others busy for 0.5 s and then idle; the losses are in the order of seconds."""
import os
import sys

path = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import Browser  # noqa: E402


def shown(browser, fragment):
    browser.open(path, fragment)
    assert browser.value("document.querySelector('[data-ready=yes]') !== null")
    return browser.text("#map-text"), browser.text("#line-text")


with Browser() as browser:
    assert shown(browser, "") == ("busy: 50.0 % of the time on average, 25.0 % to 75.0 %", "0 s to 2.000 s of 2.000 s")
    assert "4 processors in 2 classes" in browser.text("#run")
    losses = browser.texts("table.losses tr")
    assert len(losses) == 4, losses  # head, two losses, all
    assert "pipelined loop" in losses[1] and "contention for net&work" in losses[2], losses
    on_map, on_line = shown(browser, "#processor=3&time=0.5-1")
    assert on_map == "processor 3 (1,1): busy 25.0 %, waiting 0.0 %, idle 75.0 %", on_map
    assert on_line == "500.0 ms to 1.000 s of 2.000 s", on_line
    on_map, _ = shown(browser, "#processor=1")
    assert on_map == "processor 1 (0,1): busy 75.0 %, waiting 25.0 %, idle 0.0 %", on_map

"""check_search_data.py PAGE all|listed: the figures packed into the page of sample_search() are its closed form.

2 / (p1 p2) + 0.002 (p1 + 2 p2) for all grids of at most 64 processors, or for those with p1 = 5, 10, 15...
"""
import base64
import json
import os
import re
import struct
import sys
import zlib

with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read()


def element(name):
    return re.search(f'id="{name}">(.*?)</script>', source, re.S).group(1)


def unpacked(name):
    return zlib.decompress(base64.b64decode(element(name), validate=True))


page = json.loads(element("search-data"))
layout = sys.argv[2]
assert page["layout"] == layout, page
grids = [(p1, p2) for p1 in range(1, 65) for p2 in range(1, 64 // p1 + 1) if layout == "all" or p1 % 5 == 0]
assert page["count"] == len(grids) and page["rank"] == 2
# Rows are grids with the same first extent; of listed grids there is one row.
begins = [i for i, grid in enumerate(grids) if layout == "all" and grid[1] == 1] or [0]


def channel(planes, predictor):
    folded = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(len(grids))]
    values = []
    for i, code in enumerate(folded):
        begin = max(each for each in begins if each <= i)
        expected = values[i - 1] if i else 0
        if predictor == "planar" and begin > 0:
            above = max(each for each in begins if each < begin)
            at = above + i - begin
            if at < begin:
                expected = values[at] + (expected - values[at - 1] if i > begin else 0)
        values.append(expected + (code >> 1 if code % 2 == 0 else -(code >> 1) - 1))
    return values


data, offset, values = unpacked("search-values"), 0, {}
for about in page["channels"]:
    planes = [data[offset + k * len(grids):offset + (k + 1) * len(grids)] for k in range(about["bytes"])]
    offset += about["bytes"] * len(grids)
    values[about["name"]] = channel(planes, about["predictor"])
assert offset == len(data)


def time(p1, p2):
    return 2.0 / (p1 * p2) + 0.002 * (p1 + 2 * p2)


least = min(time(*grid) for grid in grids)
assert abs(page["least"] / least - 1.0) < 1e-12
for i, (p1, p2) in enumerate(grids):
    shown = page["least"] * 1.001 ** (values["time"][i] - 1)
    assert abs(shown / time(p1, p2) - 1.0) < 0.00051, (p1, p2, shown)
    productive = page["productive"] * 1.001 ** (values["productive"][i] - 1)
    assert abs(productive / 2.0 - 1.0) < 0.00051, (p1, p2, productive)
    share = 0.002 * (p1 + 2 * p2) / time(p1, p2)
    assert abs(values["communication"][i] / page["shares"] - share) <= 0.5001 / page["shares"], (p1, p2)
    assert values["empty"][i] == values["idle"][i] == 0
    if layout == "listed":
        assert (values["p1"][i], values["p2"][i]) == (p1, p2)

exact, count = unpacked("search-exact"), page["exact"]["count"]
columns = {}
for c, name in enumerate(page["exact"]["names"]):
    planes = [exact[(8 * c + k) * count:(8 * c + k + 1) * count] for k in range(8)]
    columns[name] = [struct.unpack("<d", bytes(plane[i] for plane in planes))[0] for i in range(count)]
assert count == (100 if layout == "all" else count) and count > 5
for k in range(count):
    p1, p2 = grids[int(columns["index"][k])]
    # Bit for bit what the C++ side put in.
    assert columns["execution_time"][k] == 2.0 / (p1 * p2) + 0.002 * (p1 + 2 * p2), (p1, p2)
    assert columns["shadow_communication"][k] == 0.002 * (p1 + 2 * p2) * (p1 * p2)
    assert columns["idle"][k] == 0.0
assert columns["execution_time"] == sorted(columns["execution_time"])
assert os.path.getsize(sys.argv[1]) < 500_000

"""check_prediction.py FILE GRID MACHINE TRACE [processors]: the JSON of `gridcast predict` against
docs/commands.md, and the identity of docs/model.md §2.8 in every interval."""
import json
import sys

KEYS = ["schema", "grid", "processors", "threads", "machine", "trace", "execution_time", "assumed", "warnings",
        "placement", "nodes",
        "processors_per_node", "memory_per_processor",
        "intervals", "losses"]
INTERVAL = """id parent level type count line file expression efficiency execution_time total_time
productive_time productive_cpu_time productive_sys_time io_time lost_time insufficient_parallelism
insufficient_parallelism_usr insufficient_parallelism_sys communication communication_synch idle
load_imbalance synchronization time_variation overlap io reduction shadow remote_access
redistribution pipelined""".split()
KIND = ["operations", "communication", "synch", "overlap", "time_variation"]
OPERATIONS = ["io", "reduction", "shadow", "remote_access", "redistribution"]
PROCESSOR = """execution_time io_time sys_time cpu_time lost_time communication insuff_parallelism
insuff_parallelism_usr insuff_parallelism_sys synchronization time_variation idle load_imbalance
overlap io_comm io_synch io_overlap wait_reduction reduction_synch reduction_overlap wait_shadow
shadow_synch shadow_overlap remote_access remote_synch remote_overlap redistribution
redistribution_synch redistribution_overlap""".split()

path, grid, machine, trace, *options = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    document = json.load(file)
assert sorted(document) == sorted(KEYS), list(document)
assert document["schema"] == "gridcast.prediction/1"
assert document["grid"] == [int(n) for n in grid.split("x")]
processors = 1
for extent in document["grid"]:
    processors *= extent
assert document["processors"] == processors
assert document["machine"] == machine
assert document["trace"] == [trace], document["trace"]
assert isinstance(document["warnings"], list)
assert document["intervals"][0]["type"] == "main" and document["intervals"][0]["parent"] is None
for number, interval in enumerate(document["intervals"], 1):
    expected = INTERVAL + (["per_processor"] if "processors" in options else [])
    assert sorted(interval) == sorted(expected), sorted(interval)
    assert interval["id"] == number
    assert interval["type"] in ("main", "user", "seq", "par")
    for kind in OPERATIONS:
        assert sorted(interval[kind]) == sorted(KIND)
        assert interval[kind]["time_variation"] >= 0
    kinds = sum(interval[kind]["time_variation"] for kind in OPERATIONS)
    assert abs(kinds - interval["time_variation"]) <= 1e-12 * interval["total_time"]
    for time, part in interval["pipelined"].items():
        assert 0 <= part <= interval["shadow"][time], (time, part)
    total = interval["total_time"]
    assert abs(total - processors * interval["execution_time"]) <= 1e-9 * total
    assert abs(total - interval["productive_time"] - interval["lost_time"]) <= 1e-9 * total
    if "processors" in options:
        assert len(interval["per_processor"]) == processors
        for row in interval["per_processor"]:
            assert sorted(row) == sorted(PROCESSOR), sorted(row)
        longest = max(row["execution_time"] for row in interval["per_processor"])
        assert abs(longest - interval["execution_time"]) <= 1e-9 * longest
if "processors" in options:
    assert len(document["intervals"]) > 1, "the trace was to have intervals"

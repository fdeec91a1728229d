"""Reads the JSON of a prediction back and compares it with the figures it was made from."""
import json
import math
import sys

NAMES_2_2 = """Execution_time IO_time SYS_time CPU_time Lost_time Communication Insuff_parallelism
Insuff_parallelism_USR Insuff_parallelism_SYS Synchronization Time_variation Idle Load_imbalance
Overlap IO_comm IO_synch IO_overlap Wait_reduction Reduction_synch Reduction_overlap Wait_shadow
Shadow_synch Shadow_overlap Remote_access Remote_synch Remote_overlap Redistribution
Redistribution_synch Redistribution_overlap""".lower().split()

INTERVAL_KEYS = """id parent level type count line file expression efficiency execution_time
total_time productive_time productive_cpu_time productive_sys_time io_time lost_time
insufficient_parallelism insufficient_parallelism_usr insufficient_parallelism_sys communication
communication_synch idle load_imbalance synchronization time_variation overlap io reduction shadow
remote_access redistribution pipelined""".split()


def check(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")  # strict: must be UTF-8
    doc = json.loads(text)
    assert list(doc) == ["schema", "grid", "processors", "threads", "machine", "trace", "execution_time", "assumed", "warnings",
                         "placement", "intervals"]
    assert doc["execution_time"] == doc["intervals"][0]["execution_time"]
    assert doc["schema"] == "gridcast.prediction/1"
    assert doc["grid"] == [4, 2] and doc["processors"] == 8
    assert doc["machine"] == 'mvs <"two" & three>'
    assert doc["trace"] == ["jac<2d>.ptr", "k\ufffd\ufffd.ptr"]
    assert doc["warnings"][1] == 'a <b>bold</b> "claim" & more'
    intervals = doc["intervals"]
    assert [i["id"] for i in intervals] == [1, 2, 3, 4, 5, 6, 7]
    assert [i["parent"] for i in intervals] == [None, 1, 1, 3, 3, 5, 1]
    assert [i["level"] for i in intervals] == [0, 1, 1, 2, 2, 3, 1]
    assert [i["type"] for i in intervals] == ["main", "user", "seq", "par", "par", "user", "user"]
    for interval in intervals:
        keys = [key for key in interval if key != "per_processor"]
        assert keys == INTERVAL_KEYS, keys
    loop = intervals[2]
    assert loop["count"] == 1000 and loop["expression"] == -3 and loop["line"] == 12
    assert loop["file"] == "jac<&\"'>.c"
    assert intervals[1]["expression"] is None
    assert intervals[6]["file"] == "k\ufffd\ufffd\u0001.f"

    # The doubles that the C++ side put in, bit for bit.
    main = intervals[0]
    assert main["execution_time"] == float.fromhex("0x1.3333333333334p-2")  # 0.1 + 0.2
    assert main["total_time"] == 1.0 / 3.0
    assert main["productive_time"] == 5e-324
    assert main["productive_cpu_time"] == sys.float_info.max
    assert main["lost_time"] == 123456789012345680.0
    assert main["idle"] is None  # was infinite
    assert math.copysign(1.0, main["overlap"]) == -1.0 and main["overlap"] == 0.0
    assert main["remote_access"] == {"operations": 2**53 + 1, "communication": 0.1, "synch": 0.2,
                                     "overlap": 0.3, "time_variation": 0.4}
    assert '"execution_time": 0.30000000000000004' in text
    assert '"operations": 9007199254740993' in text

    # Per-processor detail: stored values are k + 1, 2, 3...; the sums follow [Predictor2010 §2.2].
    processors = intervals[1]["per_processor"]
    assert len(processors) == 2
    assert "per_processor" not in intervals[2]
    for number, times in enumerate(processors):
        base = 1000 * number
        assert list(times) == NAMES_2_2, list(times)
        assert times["execution_time"] == base + 1
        assert times["io_time"] == base + 2
        assert times["cpu_time"] == base + 3
        assert times["sys_time"] == base + 4
        assert times["insuff_parallelism"] == 2 * base + 5 + 6
        assert times["insuff_parallelism_usr"] == base + 5
        assert times["insuff_parallelism_sys"] == base + 6
        assert times["idle"] == base + 7
        assert times["load_imbalance"] == base + 8
        assert times["synchronization"] == base + 9
        assert times["time_variation"] == base + 10
        comm = ["io_comm", "wait_reduction", "wait_shadow", "remote_access", "redistribution"]
        synch = ["io_synch", "reduction_synch", "shadow_synch", "remote_synch",
                 "redistribution_synch"]
        overlap = ["io_overlap", "reduction_overlap", "shadow_overlap", "remote_overlap",
                   "redistribution_overlap"]
        for kind in range(5):
            assert times[comm[kind]] == base + 11 + 3 * kind
            assert times[synch[kind]] == base + 12 + 3 * kind
            assert times[overlap[kind]] == base + 13 + 3 * kind
        assert times["communication"] == 5 * base + 11 + 14 + 17 + 20 + 23
        assert times["overlap"] == 5 * base + 13 + 16 + 19 + 22 + 25
        assert times["lost_time"] == (times["insuff_parallelism"] + times["communication"]
                                      + times["idle"])


check(sys.argv[1])

"""Checks a store of tests/store/sample.cpp with h5py alone.

check_store.py open STORE               prints the number of rows; fails if h5py cannot read it all
check_store.py table STORE ROWS         compares every column of /results with its closed form
check_store.py whole STORE ROWS         also attributes, layout, /failures, /best, /intervals
check_store.py intervals STORE ROWS N   compares /interval_results with its closed form
check_store.py frames STORE ROWS        reads it into pandas and xarray
check_store.py chunk STORE DATASET ROW  prints where the chunk with that row begins, and its length
check_store.py copy_chunk STORE DATASET FROM TO   puts the chunk of row FROM in the place of that of row TO
"""

import sys

import h5py
import numpy as np

# docs/store.md, "The schema".
TIMES = (
    "execution_time efficiency total_time productive_time productive_cpu_time "
    "productive_sys_time io_time lost_time insufficient_parallelism insufficient_parallelism_usr "
    "insufficient_parallelism_sys communication communication_synch idle load_imbalance "
    "synchronization time_variation overlap"
).split()
KINDS = "io reduction shadow remote_access redistribution".split()
PARTS = "operations communication synch overlap".split()
COLUMNS = (
    "p1 p2 p3 p4 processors evenness".split()
    + TIMES
    + [f"{kind}_{part}" for kind in KINDS for part in PARTS]
    + ["status", "rank"]
)


def number(k, i):
    return (i + 1).astype("f8") * 0.1 + k * 0.7


def characteristics(i):
    expected = {name: number(1 + k, i) for k, name in enumerate(TIMES)}
    for n, kind in enumerate(KINDS):
        expected[f"{kind}_operations"] = i + 100 * n
        for part, name in enumerate(PARTS[1:]):
            expected[f"{kind}_{name}"] = number(20 + 3 * n + part, i)
    return expected


def check_columns(group, i):
    expected = characteristics(i)
    expected |= {"p1": 1 + i % 97, "p2": 1 + i // 97, "p3": 1 + 0 * i, "p4": 1 + 0 * i}
    expected |= {"processors": expected["p1"] * expected["p2"], "evenness": number(0, i)}
    expected |= {"status": 0 * i, "rank": 2 + 0 * i}
    assert set(expected) == set(COLUMNS)
    for name, values in expected.items():
        found = group[name][:]
        assert found.shape == i.shape, (name, found.shape)
        assert np.array_equal(found, values), name


def check_layout(group):
    assert [name for name in group if name != "config"] == COLUMNS
    for name in COLUMNS:
        column = group[name]
        assert column.maxshape == (None,) and column.chunks is not None, name
        assert column.shuffle and column.compression == "gzip" and column.fletcher32, name
        assert column.attrs["units"] in ("s", "1") and column.attrs["long_name"], name
        assert column.dims[0][0] == group["config"], name
    assert group["config"].attrs["CLASS"] == b"DIMENSION_SCALE"
    assert group["execution_time"].attrs["units"] == "s"
    assert group["efficiency"].attrs["units"] == "1"
    flags = group["status"].attrs["flag_values"]
    assert list(flags) == [0, 1] and flags.dtype == group["status"].dtype, flags
    assert group["status"].attrs["flag_meanings"] == "done failed"


def check_attributes(attrs, rows):
    expected = {
        "schema": "gridcast.store/1",
        "Conventions": "CF-1.8",
        "gridcast_version": "0.1.0",
        "model_version": "m1",
        "command_line": "gridcast sweep jac.ptr --machine mvs.par --store S.h5",
        "complete": 1,
        "mode": 3,
        "objective": "time",
        "options": '{"startup":"count"}',
        "machine": "cluster mvs\nTStart = 9\nTByte = 0.01\n",
        "machine_name": "mvs",
        "trace_sha256": "00ff",
        "candidates": 1466,
        "not_bad": 1260,
        "evaluated": rows,
    }
    for name, value in expected.items():
        assert attrs[name] == value, (name, attrs[name])
    assert list(attrs["traces"]) == ["jac.ptr", "größe.ptr"]
    assert len(attrs["created"]) == len(attrs["finished"]) == len("2024-05-17T09:30:00Z")


def check_small_groups(file, rows):
    failures = file["failures"]
    assert list(failures["config"]) == [rows]
    assert list(failures["grid"].asstr()) == ["5x6x7"]
    assert list(failures["reason"].asstr()) == ["grid: too large (expected less)"]
    best = file["best"]
    assert list(best["choice"].asstr()) == ["chosen", "unconstrained"]
    assert list(best["p1"]) == [4, 6] and list(best["execution_time"]) == list(
        number(1, np.array([3, 5]))
    )
    tree = file["intervals"]
    assert list(tree["id"]) == [1, 2, 3] and list(tree["parent"]) == [0, 1, 2]
    assert list(tree["level"]) == [0, 1, 2] and list(tree["count"]) == [1, 10, 20]
    assert list(tree["type"].asstr()) == ["main", "seq", "par"]
    assert list(tree["line"]) == [0, 12, 14] and tree["expression"][1] == 7
    assert list(tree["file"].asstr()) == ["jac.fdv"] * 3


def check_intervals(file, rows, count):
    group = file["interval_results"]
    number_of_row = 1000 * np.arange(rows)[:, None] + np.arange(count)[None, :]
    for name, values in characteristics(number_of_row).items():
        assert group[name].shape == (rows, count), (name, group[name].shape)
        assert np.array_equal(group[name][:], values), name
        assert group[name].dims[0][0] == group["config"] and group[name].dims[1][0] == group["interval"]


def check_frames(path, rows):
    import pandas
    import xarray

    with h5py.File(path) as file:
        frame = pandas.DataFrame({name: file["results"][name][:] for name in COLUMNS})
    assert frame.shape == (rows, len(COLUMNS))
    assert frame.execution_time.sum() == number(1, np.arange(rows)).sum()
    try:
        import h5netcdf  # noqa: F401
    except ImportError:
        # Without a netCDF reader: what it does, by hand.
        with h5py.File(path) as file:
            results = file["results"]
            variables = {
                name: (results[name].dims[0].keys(), results[name][:]) for name in COLUMNS
            }
            data = xarray.Dataset(variables)
        print("xarray without h5netcdf")
    else:
        data = xarray.open_dataset(path, group="results", engine="h5netcdf").load()
        assert data.execution_time.attrs["long_name"]
        print("xarray with h5netcdf")
    assert dict(data.sizes) == {"config": rows}
    assert data.execution_time.dims == ("config",)
    assert float(data.execution_time[-1]) == number(1, np.array([rows - 1]))[0]


def main():
    task, path, *numbers = sys.argv[1:]
    if task == "chunk":
        with h5py.File(path, "r") as file:
            chunk = file[numbers[0]].id.get_chunk_info_by_coord((int(numbers[1]),))
            print(chunk.byte_offset, chunk.size)
        return
    if task == "copy_chunk":
        begin, end = int(numbers[1]), int(numbers[2])
        with h5py.File(path, "r+") as file:
            dataset = file[numbers[0]].id
            dataset.write_direct_chunk((end,), dataset.read_direct_chunk((begin,))[1])
        return
    numbers = [int(text) for text in numbers]
    if task == "frames":
        check_frames(path, *numbers)
        return
    with h5py.File(path, "r") as file:
        results = file["results"]
        if task == "open":
            lengths = {len(column[:]) for column in results.values()}
            assert len(lengths) == 1, lengths
            print(lengths.pop())
        elif task == "table":
            check_columns(results, np.arange(numbers[0]))
        elif task == "whole":
            rows = numbers[0]
            check_layout(results)
            check_attributes(file.attrs, rows + 1)
            check_small_groups(file, rows)
            assert results["status"][rows] == 1
        elif task == "intervals":
            check_intervals(file, *numbers)
        else:
            sys.exit(f"unknown task {task}")


main()

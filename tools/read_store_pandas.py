#!/usr/bin/python3
"""Reads a store into a pandas data frame: tools/read_store_pandas.py STORE.h5 [INPUT]"""
import sys
import h5py
import pandas

with h5py.File(sys.argv[1]) as store:
    table = pandas.DataFrame({name: column[:] for name, column in store["results"].items()})
print(table.describe().T.to_string())
for name in sys.argv[2:]:  # mean execution time in four classes of an input, e.g. mvs.TStart
    print(table.groupby(pandas.qcut(table[name], 4, duplicates="drop"))["execution_time"].mean())

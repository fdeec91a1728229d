#!/usr/bin/python3
"""Reads a store into an xarray data set: tools/read_store_xarray.py STORE.h5"""
import sys
import h5py
import xarray

with h5py.File(sys.argv[1]) as store:
    results = {name: ("config", column[:]) for name, column in store["results"].items()}
    pieces = store.get("interval_results", {})
    pieces = {f"interval_{name}": (("config", "interval"), x[:]) for name, x in pieces.items() if x.ndim == 2}
table = xarray.Dataset(results | pieces).set_coords("processors")
print(table)
print(table[["execution_time", "efficiency"]].groupby("processors").mean())

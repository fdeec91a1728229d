"""check_rows.py STORE GRIDCAST TRACE MACHINE: some rows of a store against `gridcast predict`, and
the best row against all others."""
import json
import subprocess
import sys

import h5py

store, gridcast, trace, machine = sys.argv[1:]
with h5py.File(store, "r") as file:
    results = {name: column[()] for name, column in file["results"].items()}
count = len(results["p1"])
assert count == 50, count
for row in range(0, count, 7):
    grid = f"{results['p1'][row]}x{results['p2'][row]}"
    run = subprocess.run([gridcast, "predict", trace, "--machine", machine, "--grid", grid,
                          "--json", "-"], capture_output=True, check=True)
    main = json.loads(run.stdout)["intervals"][0]
    for name in ("execution_time", "efficiency", "total_time", "lost_time", "communication", "idle"):
        assert main[name] == results[name][row], (grid, name)
    assert main["shadow"]["communication"] == results["shadow_communication"][row]
status = json.loads(subprocess.run([gridcast, "status", store, "--json", "-"], capture_output=True,
                                   check=True).stdout)
best = min(range(count), key=lambda row: (results["execution_time"][row],
                                          results["processors"][row], results["p1"][row]))
assert status["best"]["grid"] == [results["p1"][best], results["p2"][best]], status["best"]
assert status["best"]["execution_time"] == results["execution_time"][best]

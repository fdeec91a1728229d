"""check_job.py GRIDCAST SOURCE: what `sweep --rankfile` and `status` say of the job against coordinates and nodes worked out
here; the script for Slurm with a scontrol and a srun that only tell what they were asked; the rank file and the lines of
mpirun with Open MPI itself on hosts that are UTS namespaces, if this user may make them."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

gridcast, source = sys.argv[1], Path(sys.argv[2])
HOSTS = ["alpha7", "alpha9", "beta", "gamma2", "gamma4"]
# Nodes with their processors, sizes of runs in the machine file, and conditions.
MACHINES = {"equal": [2, 2, 2], "kinds": [4, 4, 2, 2, 2]}
TEXT = {"equal": "c = {3 x node}; node = {2 x p};", "kinds": "c = {2 x node, 3 x b}; node = {4 x p}; b = {2 x p};"}


def network(name):
    return f"{name}.CommType = ports; {name}.TStart = 2; {name}.TByte = 0.001;"


def machine(folder, name):
    path = folder / f"{name}.par"
    text = f"cluster = c; p = 1; {TEXT[name]} {network('c')} {network('node')}"
    path.write_text(text + (f" {network('b')} b.IsNode = yes;" if name == "kinds" else ""))
    return path


def run(*words, environment=None):
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False,
                            env=environment, timeout=120)
    assert result.returncode == 0, (words, result.returncode, result.stdout, result.stderr)
    return result.stdout


def processor_of(coordinates, grid, placement):
    """The number in the machine of the rank with these coordinates."""
    if placement == "column":
        number = 0
        for extent, at in reversed(list(zip(grid, coordinates))):
            number = number * extent + at
        return number
    block = grid if placement == "row" else [int(word) for word in placement.split(":")[1].split("x")]
    outer = inner = 0
    for extent, width, at in zip(grid, block, coordinates):
        outer = outer * (extent // width) + at // width
        inner = inner * width + at % width
    size = 1
    for width in block:
        size *= width
    return outer * size + inner


def processors_of(grid, placement, by_column):
    """The number in the machine of each rank, ranks in the order of MPI_Cart_create, or the first coordinate fastest."""
    ranks = [[]]
    for extent in reversed(grid) if by_column else grid:
        ranks = [[*before, at] for before in ranks for at in range(extent)]
    return [processor_of(rank[::-1] if by_column else rank, grid, placement) for rank in ranks]


def nodes_of(processors, sizes):
    """The node of each rank."""
    owner = [node for node, size in enumerate(sizes) for _ in range(size)]
    return [owner[number] for number in processors]


def slurm_says(folder, script, nodes):
    """The host of each rank that the script asks Slurm for."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "scontrol").write_text(
        '#!/bin/sh\n[ "$*" = "show hostnames here" ] && printf "%s\\n" ' + " ".join(HOSTS[:nodes]) + "\n")
    (tools / "srun").write_text('#!/bin/sh\nprintf "%s\\n" "$*"\ncat "$SLURM_HOSTFILE"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    environment = dict(os.environ, PATH=f"{tools}:/usr/bin:/bin", SLURM_JOB_NODELIST="here")
    lines = run("sh", script, "program", "an argument", environment=environment).splitlines()
    return lines[0], lines[1:]


def may_rename_hosts():
    return subprocess.run(["unshare", "-u", "hostname", "elsewhere"], capture_output=True, check=False).returncode == 0


def mpirun_says(folder, line, sizes, grid):
    """The host of each rank that Open MPI starts, in an allocation of Slurm as it sees one."""
    agent = folder / "agent"
    agent.write_text('#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nhost=$1; shift\n'
                     'exec unshare -u sh -c \'hostname "$0"; exec sh -c "$*"\' "$host" "$@"\n')
    agent.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_MCA_"))}
    nodes = ",".join(HOSTS[:len(sizes)])
    environment |= {"SLURM_JOBID": "7", "SLURM_JOB_ID": "7", "SLURM_NODELIST": nodes, "SLURM_JOB_NODELIST": nodes,
                    "SLURM_TASKS_PER_NODE": ",".join(map(str, sizes)), "SLURM_NNODES": str(len(sizes)),
                    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": str(agent)}
    program = "sh -c 'echo $OMPI_COMM_WORLD_RANK $(hostname)'"
    said = run("bash", "-c", line.replace("PROGRAM", program), environment=environment)
    hosts = dict(text.split() for text in said.splitlines())
    return [hosts[str(rank)] for rank in range(len(hosts))] if len(hosts) == eval("*".join(map(str, grid))) else said


def check(folder, name, words, real):
    sizes = MACHINES[name]
    store, file = folder / "s.h5", folder / "ranks"
    store.unlink(missing_ok=True)
    status = json.loads(run(gridcast, "sweep", source / "configs/programs/jacobi2d.toml", "--param", "n=200", "-m",
                            machine(folder, name), *words, "--store", store, "--rankfile", file, "--json", "-", "-q"))
    best, job = status["best"], status["job"]
    where = (name, words, best)
    by_column = "--ranks" in words
    processors = processors_of(best["grid"], best["placement"], by_column)
    expected = nodes_of(processors, sizes)
    used = max(expected) + 1
    assert job["nodes"] == best["nodes"] == used, where
    assert job["processes"] == best["processors"] == len(expected), where
    assert job["processes_per_node"] == best["processors_per_node"] == expected.count(expected[0]), where
    assert [run_["processes_per_node"] for run_ in job["tasks"] for _ in range(run_["nodes"])] == \
        [expected.count(node) for node in range(used)], where
    assert job["ranks"] == ("column" if by_column else "row"), where
    assert job["dims"] == best["grid"] and job["rankfile"] == str(file) and job["threads"] == 1, where
    assert job["processors"] == " ".join(map(str, best["grid"] + [1])), where
    ranks = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert [int(line.split("=+n")[1].split()[0]) for line in ranks] == expected, where
    assert [line.split("=")[0] for line in ranks] == [f"rank {rank}" for rank in range(len(expected))], where
    asked, hosts = slurm_says(folder, Path(f"{file}.sh"), used)
    assert asked == f"-n {len(expected)} --distribution=arbitrary program an argument", asked
    assert hosts == [HOSTS[node] for node in expected], (where, hosts)
    # `status` gives the same files; without them there are plain lines for the order of ranks only.
    run(gridcast, "status", store, "--rankfile", folder / "again", "--json", folder / "status.json")
    assert (folder / "again").read_text() == file.read_text()
    plain = json.loads(run(gridcast, "status", store, "--json", "-"))["job"]
    assert plain["rankfile"] is None and (plain["srun"] is not None) == \
        (processors == list(range(len(expected)))), (where, plain)
    if real:
        lines = [job["mpirun"]] + ([plain["mpirun"]] if plain["mpirun"] else [])
        for line in lines:
            said = mpirun_says(folder, line, sizes[:used], best["grid"])
            assert said == [HOSTS[node] for node in expected], (where, line, said)
    return best["placement"]


def main():
    real = may_rename_hosts()
    seen = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in (["--processors", 6], ["--processors", 5], ["--processors", 6, "--fix", "p1=3"],
                      ["--processors", 6, "--fix", "p1=3", "--placement", "column"],
                      ["--processors", 6, "--fix", "p1=3", "--ranks", "column"],
                      ["--processors", 6, "--fix", "p1=2", "--ranks", "column", "--placement", "row"],
                      ["--processors", 4, "--fix", "p1=2", "--placement", "blocked:2x1"]):
            seen.append(check(folder, "equal", words, real))
        for words in (["--processors", 14], ["--processors", 9], ["--processors", 11],
                      ["--processors", 8, "--fix", "p1=4", "--placement", "blocked:2x2"],
                      ["--processors", 8, "--fix", "p1=4", "--ranks", "column", "--placement", "blocked:2x2"],
                      ["--processors", 12, "--fix", "p1=3", "--placement", "column"]):
            seen.append(check(folder, "kinds", words, real))
    assert {"row", "column", "blocked:2x1", "blocked:2x2"} <= set(seen), seen
    print(f"{len(seen)} jobs" + ("" if real else "; skipped: mpirun on several hosts (no right to rename hosts)"))


if __name__ == "__main__":
    main()

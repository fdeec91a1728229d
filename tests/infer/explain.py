"""Says what a description sends on a grid and holds it against what a run sent.

usage: explain.py APP.toml SENT.csv GRID EXTENTS row|column ITERATIONS TOLERANCE
With a tolerance above 0 only messages are compared, their bytes as sums from one rank to another.
Rows of SENT.csv: message,SOURCE,DESTINATION,BYTES; COLLECTIVE,RANK,GROUP,BYTES; alltoallv,RANK,PARTNER,BYTES.
Shares no code with gridcast.
"""
import collections
import csv
import itertools
import math
import sys
import tomllib

description, sent, grid, extents, order, iterations, tolerance = sys.argv[1:]
with open(description, "rb") as file:
    program = tomllib.load(file)
grid = [int(word) for word in grid.split("x")]
domain = program["domain"][0]
rule = domain["rule"]
parameters = dict(program["parameters"], iterations=int(iterations))
parameters.update(zip((name for name in domain["extents"]), (int(word) for word in extents.split("x"))))
extents = [parameters[name] for name in domain["extents"]]
cut = domain.get("distribute", list(range(1, len(extents) + 1)))
periodic = domain.get("periodic", [False] * len(extents))
coordinates = list(itertools.product(*(range(p) for p in grid)))
if order == "column":
    coordinates = [at[::-1] for at in itertools.product(*(range(p) for p in grid[::-1]))]
rank_at = {at: rank for rank, at in enumerate(coordinates)}


def begin(n, parts, q):
    """The first element of block q."""
    if rule == "ceil":
        return min(n, q * -(-n // parts))
    if rule == "balanced":
        return q * n // parts
    extra = q if rule == "first" else max(0, q - (parts - n % parts))
    return q * (n // parts) + min(extra, n % parts)


def block(n, parts, q):
    """The length of block q."""
    return begin(n, parts, q + 1) - begin(n, parts, q)


def names(at):
    """What the expressions of a process at these coordinates may name."""
    known = dict(parameters, block=block, begin=begin, ceil=math.ceil, floor=math.floor, log2=math.log2, min=min, max=max)
    for d, (n, c) in enumerate(zip(extents, cut), 1):
        known[f"n{d}"] = n
        known[f"b{d}"] = block(n, grid[c - 1], at[c - 1]) if c else n
    for d, (p, q) in enumerate(zip(grid, at), 1):
        known[f"p{d}"] = p
        known[f"q{d}"] = q
    return known


def value(expression, known):
    """The value of a number or an expression."""
    return eval(expression, {"__builtins__": {}}, known) if isinstance(expression, str) else expression


def neighbour(at, offset):
    """The coordinates at an offset; None outside."""
    moved = []
    for d, step in enumerate(offset):
        there = at[d] + step
        if periodic[cut.index(d + 1)]:
            there %= grid[d]
        if not 0 <= there < grid[d]:
            return None
        moved.append(there)
    return tuple(moved)


found = collections.Counter()
received = collections.Counter()


def run(statements, times):
    """Counts what the statements send."""
    for statement in statements:
        if "repeat" in statement:
            known = dict(parameters, **{f"p{d}": p for d, p in enumerate(grid, 1)}, ceil=math.ceil, log2=math.log2)
            run(statement["do"], times * value(statement["repeat"], known))
        for rank, at in enumerate(coordinates):
            known = names(at)
            for entry in statement.get("send", []):
                to = neighbour(at, entry["to"])
                size = value(entry["bytes"], known)
                if to is not None and size > 0 and rank_at[to] != rank:  # oneself: no network
                    found["message", rank, str(rank_at[to]), size] += times
                if to is not None and statement.get("only"):  # where nothing is sent, nothing is received
                    received[statement.get("tag"), rank, rank_at[to]] += times
            for entry in statement.get("receive", []):
                source = neighbour(at, entry["from"])
                if source is not None:
                    received[statement.get("tag"), rank_at[source], rank] -= times
            if "collective" in statement:
                across = [d - 1 for d in statement.get("across", range(1, len(grid) + 1))]
                group = [each for each in coordinates if all(each[d] == at[d] for d in range(len(grid)) if d not in across)]
                word = statement["collective"]
                if word == "alltoallv":
                    for partner in group:
                        partner_names = dict(known, **{f"t{d + 1}": partner[d] for d in range(len(grid))})
                        size = value(statement["bytes"], partner_names)
                        found[word, rank, str(rank_at[partner]), size] += times
                else:
                    members = " ".join(str(each) for each in sorted(rank_at[each] for each in group))
                    found[word, rank, members, value(statement.get("bytes", 0), known)] += times


run(program["do"], 1)
actual = collections.Counter()
with open(sent) as file:
    for word, rank, whom, size in csv.reader(file):
        actual[word, int(rank), whom, int(size)] += 1
if float(tolerance) > 0:
    sums = [collections.Counter(), collections.Counter()]
    for counter, total in zip((actual, found), sums):
        for (word, rank, whom, size), count in list(counter.items()):
            total[rank, whom] += size * count if word == "message" else 0
            counter["messages", rank, whom, 0] += count if word == "message" else 0
            del counter[word, rank, whom, size]
    for pair in set(sums[0]) | set(sums[1]):
        if abs(sums[1][pair] - sums[0][pair]) > float(tolerance) * sums[0][pair]:
            found["bytes", *pair, sums[1][pair]] += 1
missing = actual - found
wrong = found - actual
for name, counter in (("not explained", missing), ("never sent", wrong), ("not received", received - collections.Counter())):
    for key, count in list(counter.items())[:5]:
        print(name, key, count)
unpaired = [key for key, count in received.items() if count]
print(f"{sum(actual.values()) - sum(missing.values())} of {sum(actual.values())}")
sys.exit(1 if missing or wrong or unpaired or not actual else 0)

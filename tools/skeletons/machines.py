"""The machines that tools/accuracy simulates, for SimGrid and for gridcast."""
import itertools
from typing import NamedTuple

OVERHEAD = 0.5  # microseconds, of sender and of receiver each, in all networks


class Network(NamedTuple):
    """A tier of a machine: how many processes each cluster has (0: all), microseconds, microseconds per byte."""
    processes: int
    latency: float
    per_byte: float


# From the network between nodes to that inside the smallest part.
MACHINES = {
    "flat": [Network(0, 1.5, 0.001)],
    "nodes of 8": [Network(0, 1.5, 0.001), Network(8, 0.5, 0.0002)],
    "nodes of 16": [Network(0, 1.5, 0.001), Network(16, 0.5, 0.0002)],
    "nodes of 2 x 8": [Network(0, 1.5, 0.0005), Network(16, 0.5, 0.0006), Network(8, 0.3, 0.0002)],
}
FREE_LINK = '<link id="{}_free" bandwidth="1e18Bps" latency="0us" sharing_policy="FATPIPE"/>'


def link(name, network):
    return (f'<link id="{name}" bandwidth="{1e6 / network.per_byte:.12g}Bps" latency="{network.latency / 2:.12g}us" '
            'sharing_policy="SHARED"/>')


def zone(tiers, first, processes):
    """A part of the machine that one network joins, and its gateway. A transfer passes the port out of its sender's
    member and the port in of its receiver's; from a member to the gateway, to networks outside, nothing."""
    network, inner = tiers[0], tiers[1:]
    name = f"z{len(tiers)}_{first}"
    step = inner[0].processes if inner else 1
    lines, members, links = [f'<zone id="{name}" routing="Full">'], [], [FREE_LINK.format(name)]
    for begin in range(first, first + processes, step):
        if inner:
            part, gateway = zone(inner, begin, step)
            lines += part
            members.append((part[0].split('"')[1], gateway))
        else:
            lines.append(f'<host id="n{begin}" speed="1Gf"/>')
            members.append((f"n{begin}", None))
        links += [link(f"{members[-1][0]}_{side}", network) for side in ("out", "in")]
    gateway = f"{name}_gateway"
    if inner:
        lines.append(f'<zone id="{name}_edge" routing="Full"><router id="{gateway}"/></zone>')
    else:
        lines.append(f'<router id="{gateway}"/>')
    kind = "zoneRoute" if inner else "route"
    edge = (f"{name}_edge" if inner else gateway, gateway)
    routes = []
    for (one, out), (other, into) in itertools.permutations([*members, edge], 2):
        gateways = f'gw_src="{out}" gw_dst="{into}" ' if inner else ""
        passed = [f"{name}_free"] if edge[0] in (one, other) else [f"{one}_out", f"{other}_in"]
        routes.append(f'<{kind} src="{one}" dst="{other}" {gateways}symmetrical="NO">' +
                      "".join(f'<link_ctn id="{port}"/>' for port in passed) + f"</{kind}>")
    return [*lines, *links, *routes, "</zone>"], gateway


def platform(tiers, processes):
    """The machine for the simulator."""
    head = ("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            '<platform version="4.1">\n')
    if len(tiers) > 1:
        lines = zone(tiers, 0, processes)[0]
    else:
        lines = [f'<cluster id="c" prefix="n" suffix="" radical="0-{processes - 1}" speed="1Gf" '
                 f'bw="{1e6 / tiers[0].per_byte:.12g}Bps" lat="{tiers[0].latency / 2:.12g}us" '
                 'sharing_policy="SPLITDUPLEX" loopback_bw="1e18Bps" loopback_lat="0us"/>']
    return head + "\n".join(lines) + "\n</platform>\n"


def machine_file(tiers, processes, eager):
    """The machine for gridcast; shorter messages than `eager` bytes are sent at once."""
    sizes = [processes, *(tier.processes for tier in tiers[1:]), 1]
    text = ["cluster = c0;"]
    for level, tier in enumerate(tiers):
        item = f"c{level + 1}" if level + 1 < len(tiers) else "p"
        text.append(f"c{level} = {{{sizes[level] // sizes[level + 1]} x {item}}};")
        text += [f"c{level}.{name} = {value};" for name, value in
                 (("CommType", "ports"), ("TStart", tier.latency), ("TByte", tier.per_byte), ("TSend", OVERHEAD),
                  ("TRecv", OVERHEAD), ("EagerLimit", eager))]
    return "\n".join([*text, "p = 1;"]) + "\n"


def leaves(placement, grid):
    """The leaf of the machine of each process, by the numbers of processes (docs/model.md, "Rank placement")."""
    coordinates = list(itertools.product(*map(range, grid)))
    if placement == "column":
        order = sorted(coordinates, key=lambda place: place[::-1])
    else:
        block = tuple(map(int, placement.partition(":")[2].split("x"))) if ":" in placement else grid
        if any(extent % part for extent, part in zip(grid, block)):
            block = grid
        order = sorted(coordinates, key=lambda place: ([at // part for at, part in zip(place, block)],
                                                       [at % part for at, part in zip(place, block)]))
    leaf = {place: at for at, place in enumerate(order)}
    return [leaf[place] for place in coordinates]

"""check_pnml.py NET.pnml: whether a file is a place/transition net as ISO/IEC 15909-2 has them, beyond what the grammar
ptnet.rng can say: identifiers are unique in the document; an arc leads from a place to a transition or back, both in
the same net; markings are whole numbers from 0, inscriptions from 1."""
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.pnml.org/version-2009/grammar/pnml}"
TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"


def number(node, label, least):
    found = node.find(f"{SPACE}{label}/{SPACE}text")
    return found is None or (found.text.strip().isdigit() and int(found.text) >= least)


def faults(root):
    if root.tag != SPACE + "pnml" or not root.findall(SPACE + "net"):
        yield "no net"
    ids = [node.get("id") for node in root.iter() if "id" in node.attrib]
    yield from (f"id {each} twice" for each in sorted({each for each in ids if ids.count(each) > 1}))
    for net in root.findall(SPACE + "net"):
        if net.get("type") != TYPE:
            yield f"type {net.get('type')}"
        if not net.findall(SPACE + "page"):
            yield "no page"
        places = {node.get("id") for node in net.iter(SPACE + "place")}
        transitions = {node.get("id") for node in net.iter(SPACE + "transition")}
        for node in net.iter(SPACE + "place"):
            if not number(node, "initialMarking", 0):
                yield f"marking of {node.get('id')}"
        for arc in net.iter(SPACE + "arc"):
            ends = {arc.get("source"), arc.get("target")}
            if not (len(ends & places) == 1 and len(ends & transitions) == 1):
                yield f"arc {arc.get('id')} does not connect a place and a transition"
            if not number(arc, "inscription", 1):
                yield f"inscription of {arc.get('id')}"


found = list(faults(tree.parse(sys.argv[1]).getroot()))
print("\n".join(found) or "a place/transition net")
sys.exit(1 if found else 0)

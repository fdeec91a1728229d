"""Checks a page of gridcast: balanced tags, links that have targets, nothing fetched, and, with
further arguments N:FIELD=TEXT, the text of the cell with data-field FIELD in section interval-N, or N:nav=...,
its links "text>number" to other intervals, without arrows, N:path=... and N:nested=..., the numbers of those that it
lies in and lists; title=TEXT and warnings=TEXT|TEXT."""
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "col"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "div",
           "span", "a", "b", "i", "small", "ul", "li", "dl", "dt", "dd", "table", "thead", "tbody",
           "tr", "th", "td", "section", "nav", "details", "summary", "figure", "figcaption", "svg",
           "line", "text", "polyline", "circle", "canvas", "script", "select", "option", "label", "button",
           "form", "input", "noscript", "pre"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.targets, self.fields = [], set(), [], {}
        self.links, self.link, self.title, self.warnings = {}, None, None, []
        self.section, self.field, self.text = None, None, ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        # <title> inside <circle> is the tooltip of a dot.
        assert tag in ALLOWED, f"unexpected <{tag}>: text was not escaped?"
        for name in ("src", "action", "onclick", "xlink:href"):
            assert name not in attributes, f"<{tag} {name}>"
        if "id" in attributes:
            assert attributes["id"] not in self.ids, f"two of id {attributes['id']}"
            self.ids.add(attributes["id"])
            if tag == "section" and attributes["id"].startswith("interval-"):
                self.section = int(attributes["id"].removeprefix("interval-"))
        if "href" in attributes:
            assert attributes["href"].startswith("#"), attributes["href"]
            self.targets.append(attributes["href"][1:])
            if self.section is not None and attributes["href"].startswith("#interval-"):
                self.link, self.text = attributes["href"].removeprefix("#interval-"), ""
        if tag in ("title", "li"):
            self.text = ""
        if "data-field" in attributes:
            self.field, self.text = attributes["data-field"], ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()
        if tag == "a" and self.link is not None:
            words = " ".join(word for word in self.text.split() if word.isascii())
            kind = "nested" if (self.section, "nav") in self.links else "path"
            kind = "nav" if words in ("up", "previous", "next", "first nested", "home") else kind
            self.links.setdefault((self.section, kind), []).append(f"{words}>{self.link}" if kind == "nav" else self.link)
            self.link = None
        if tag == "title" and self.title is None:
            self.title = self.text
        if tag == "li" and self.section is None:
            self.warnings.append(self.text)
        if self.field and tag in ("td", "dd"):
            key = (self.section, self.field)
            assert key not in self.fields, f"field {key} twice"
            self.fields[key] = self.text
            self.field = None

    def handle_data(self, data):
        self.text += data


with open(sys.argv[1], "rb") as file:
    source = file.read().decode("utf-8")
page = Page()
page.feed(source)
page.close()
assert source.startswith("<!DOCTYPE html>")
assert not page.open, page.open
# The chart library names XML name spaces and its licence where it is from; nothing is fetched by either.
source = re.sub(r'<script id="d3">.*?</script>|<pre>.*?</pre>', "", source, flags=re.S).replace("url(#", "(#")
for word in ("http:", "https:", "url(", "@import", "<script src"):
    assert word not in source, word
for target in page.targets:
    assert target in page.ids, f"link to #{target} leads nowhere"
for character in source:
    assert character in "\n\t" or ord(character) >= 32, f"control character {ord(character)}"

# Anchors of [Predictor2010 app. 2], and the identity of the interval.
FIELDS = set("""type level count line expr proc file effic exec total ptime ptimec ptimes ptimei lost
insuf iuser isyst comm csyn idle imbal synch vary over""".split())
FIELDS |= {prefix + kind for prefix in ("nop", "com", "synch", "over", "vary") for kind in "irsad"}
for section in {key[0] for key in page.fields}:
    present = {key[1] for key in page.fields if key[0] == section}
    assert present == FIELDS, (section, present ^ FIELDS)

IDENTITY = set("type level count line expr proc file".split())
if any(section == 1 for section, _ in page.fields):
    assert FIELDS - IDENTITY <= page.ids, FIELDS - IDENTITY - page.ids

for expectation in sys.argv[2:]:
    if expectation.startswith("sections="):
        sections = {key[0] for key in page.fields}
        assert sections == set(range(1, int(expectation[9:]) + 1)), len(sections)
        continue
    place, value = expectation.split("=", 1)
    if place in ("title", "warnings"):
        found = page.title if place == "title" else "|".join(page.warnings)
        assert found == value, (place, found, value)
        continue
    number, field = place.split(":")
    key = int(number), field
    found = ", ".join(page.links.get(key, [])) if field in ("path", "nav", "nested") else page.fields[key]
    assert found == value, f"interval {number}, {field}: {found!r}, expected {value!r}"

"""What axe-core calls serious or critical, looked for in a page that a browser has open."""

# Each check returns descriptions of what is wrong.
CHECKS = r"""
(() => {
const found = [], visible = e => e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && e.getClientRects().length > 0;
const name = e => (e.getAttribute("aria-label") || (e.labels && Array.from(e.labels, l => l.textContent).join("")) ||
  (e.getAttribute("aria-labelledby") && document.getElementById(e.getAttribute("aria-labelledby"))?.textContent) ||
  e.textContent || e.title || "").trim();
const where = e => `${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}.${e.className.baseVal ?? e.className}: ${(e.textContent || "").trim().slice(0, 40)}`;
const all = selector => Array.from(document.querySelectorAll(selector)).filter(visible);
if (!document.documentElement.lang) found.push("no language");
if (!document.title.trim()) found.push("no title");
if (document.querySelectorAll("main").length !== 1) found.push("not one main");
if (document.querySelectorAll("h1").length !== 1) found.push(`${document.querySelectorAll("h1").length} headings of level 1`);
if (/user-scalable\s*=\s*no|maximum-scale/.test(document.querySelector("meta[name=viewport]")?.content || "")) found.push("no zoom");
let level = 0;
for (const e of all("h1,h2,h3,h4,h5,h6")) {
  const own = +e.tagName[1];
  if (own > level + 1) found.push(`heading skips a level: ${where(e)}`);
  if (!e.textContent.trim()) found.push(`empty heading ${where(e)}`);
  level = own;
}
const ids = new Set();
for (const e of document.querySelectorAll("[id]")) { if (ids.has(e.id)) found.push(`two of id ${e.id}`); ids.add(e.id); }
for (const e of all("button,input,select,a[href],summary,[tabindex]")) if (!name(e)) found.push(`no name: ${where(e)}`);
for (const e of document.querySelectorAll("[aria-describedby],[aria-labelledby],[aria-controls]"))
  for (const attribute of ["aria-describedby", "aria-labelledby", "aria-controls"])
    for (const id of (e.getAttribute(attribute) || "").split(" ").filter(Boolean)) if (!ids.has(id)) found.push(`${attribute} leads nowhere: ${where(e)}`);
for (const e of all("canvas,svg,img")) {
  const shown = e.closest("[role=img]") || e.closest("[aria-hidden=true]");
  if (!shown) found.push(`picture without a role: ${where(e)}`);
  else if (shown.getAttribute("role") === "img" && !name(shown)) found.push(`picture without a name: ${where(shown)}`);
}
for (const e of all("[aria-hidden=true]")) if (Array.from(e.querySelectorAll("a[href],button,input,select,[tabindex]")).some(inside => inside.tabIndex >= 0)) found.push(`focus inside what is hidden: ${where(e)}`);
for (const e of all("table")) {
  if (!e.querySelector("th")) found.push(`table without heads: ${where(e)}`);
  for (const row of e.tBodies[0]?.rows || []) if (row.cells.length > 1 && e.tHead && row.cells.length > Array.from(e.tHead.rows[0].cells).reduce((n, c) => n + c.colSpan, 0)) found.push(`more cells than heads: ${where(e)}`);
}
for (const e of all("ul,ol")) for (const c of e.children) if (c.tagName !== "LI") found.push(`not an item of a list: ${where(c)}`);
for (const e of all("dl")) for (const c of e.children) if (!["DT", "DD", "DIV"].includes(c.tagName)) found.push(`in a dl: ${where(c)}`);
for (const e of all("*")) {
  const style = getComputedStyle(e), scrolls = (/auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1) ||
    (/auto|scroll/.test(style.overflowY) && e.scrollHeight > e.clientHeight + 1);
  if (scrolls && e !== document.documentElement && e !== document.body && e.tabIndex < 0 && !e.querySelector("a[href],button,input,select,[tabindex]"))
    found.push(`scrolls, but not by keyboard: ${where(e)}`);
}
for (const e of all("a[href]")) if (e.closest("p,li") && e.closest("p,li").textContent.trim() !== e.textContent.trim()) {
  const style = getComputedStyle(e);
  if (style.textDecorationLine === "none" && style.color === getComputedStyle(e.parentElement).color) found.push(`a link like text: ${where(e)}`);
}
const parse = text => { const n = (text.match(/[\d.]+/g) || []).map(Number); return text.startsWith("color(srgb") ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
function backdrop(e) {
  const layers = [];
  for (let at = e; at; at = at.parentElement) { const c = parse(getComputedStyle(at).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  return layers.reverse().reduce((under, c) => over(c, under), canvas);
}
const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !visible(e) || seen.has(e) || e.closest("script,style,noscript,:disabled")) continue;
  seen.add(e);
  const style = getComputedStyle(e), under = backdrop(e), drawn = e instanceof SVGElement ? style.fill : style.color;
  let ink = parse(drawn);
  let opacity = 1;
  for (let at = e; at; at = at.parentElement) opacity *= +getComputedStyle(at).opacity;
  ink = over([ink[0], ink[1], ink[2], ink[3] * opacity], under);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700), got = ratio(ink, under);
  if (got < (large ? 3 : 4.5) - 0.005) found.push(`contrast ${got.toFixed(2)}: ${where(e)} ${drawn} on ${under.map(Math.round)}`);
}
return found;
})()
"""

FOCUS = r"""
(() => { const e = document.activeElement, s = getComputedStyle(e);
return e === document.body ? "" : [e.tagName, e.id, e.textContent.trim().slice(0, 30),
  (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none" || s.textDecorationLine === "underline"].join("|"); })()
"""


def findings(browser):
    return browser.value(CHECKS)


def hidden_focus(browser, steps=40):
    """Elements that the Tab key reaches without a sign of it."""
    browser.value("document.activeElement.blur()")
    wrong = []
    for _ in range(steps):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        text = browser.value(FOCUS)
        if text.endswith("|false"):
            wrong.append(text)
    return wrong


def nameless(browser):
    """What the accessibility tree says has a role to act with, but no name."""
    roles = {"button", "link", "textbox", "checkbox", "combobox", "spinbutton", "searchbox", "img", "region", "table"}
    wrong = []
    for each in browser.call("Accessibility.getFullAXTree")["nodes"]:
        role = each.get("role", {}).get("value")
        if not each.get("ignored") and role in roles - {"table"} and not each.get("name", {}).get("value", "").strip():
            wrong.append((role, each.get("backendDOMNodeId")))
    return wrong

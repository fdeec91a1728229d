"""What keeps people from a page that a browser has open: the findings of axe-core, hidden focus, elements without a name."""
import os

# Where tools/setup --tests installs it.
AXE = os.path.join(os.path.dirname(__file__), "../../build/axe-core/axe.min.js")

FOCUS = r"""
(() => { const e = document.activeElement, s = getComputedStyle(e);
return e === document.body ? "" : [e.tagName, e.id, e.textContent.trim().slice(0, 30),
  (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none" || s.textDecorationLine === "underline"].join("|"); })()
"""


def findings(browser):
    """Rules of axe-core that the page breaks, and where; none if axe-core is not there."""
    if not os.path.exists(AXE):
        return []
    with open(AXE, encoding="utf-8") as script:
        browser.value(f"{script.read()};0")
    return browser.value("axe.run({resultTypes: ['violations']}).then(found => found.violations.map(rule => "
                         "[rule.impact, rule.id, ...rule.nodes.map(node => `${node.target}: ${node.failureSummary}`)]))")


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
    roles = {"button", "link", "textbox", "checkbox", "combobox", "spinbutton", "searchbox", "slider", "img", "region", "table"}
    wrong = []
    for each in browser.call("Accessibility.getFullAXTree")["nodes"]:
        role = each.get("role", {}).get("value")
        if not each.get("ignored") and role in roles - {"table"} and not each.get("name", {}).get("value", "").strip():
            wrong.append((role, each.get("backendDOMNodeId")))
    return wrong

#include "run_script.h"

namespace gridcast::report {
namespace {

// The part of the time that is shown is begin...end, in parts of the execution time. Phases
// narrower than a pixel are drawn by what most of the pixel is.
constexpr std::string_view run_text = R"js(
(() => {
const run = JSON.parse(document.getElementById("run-data").textContent), ticks = 1e6;
const el = name => document.getElementById(name);
const colours = ["#0072b2", "#56b4e9", "#009e73", "#c84f00", "#f0a91a", "#cc79a7", "#8d959d"];
const percent = share => `${(100 * share).toFixed(1)} %`;
function time(seconds) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [unit, name] = units.find(([unit]) => seconds >= unit) || units[3];
  return seconds === 0 ? "0 s" : `${(seconds / unit).toPrecision(4)} ${name}`;
}
const busy = of => of[0] + of[1] + of[2], waiting = of => of[3] + of[4] + of[5], idle = of => of[6];
const shares = {busy, waiting, idle};
const members = [];
for (let i = 0; i < run.map.length; i += 2)
  for (let k = 0; k < run.map[i + 1]; ++k) members.push(run.map[i]);
const ink = () => getComputedStyle(document.body).color;

// --- map: a panel of the last two dimensions for each pair of the others
const map = el("map"), grid = run.grid.slice();
const columns = grid.length > 1 ? grid[grid.length - 1] : Math.min(64, grid[0]);
const rows = grid.length > 1 ? grid[grid.length - 2] : Math.ceil(grid[0] / columns);
const panels = grid.slice(0, -2).reduce((a, b) => a * b, 1);
const gap = panels > 1 ? 6 : 0;
let across = 1, cell = 0;  // as many panels side by side as give the largest cells
for (let tried = 1; tried <= Math.min(panels, 640); ++tried) {
  const size = Math.min((640 - gap * tried) / (columns * tried), 400 / (rows * Math.ceil(panels / tried)) - gap / rows);
  if (size > cell) [across, cell] = [tried, size];
}
cell = Math.max(1, Math.min(28, Math.floor(cell)));
const down = Math.ceil(panels / across);
const panelWidth = columns * cell + gap, panelHeight = rows * cell + gap;
map.width = panelWidth * across;
map.height = panelHeight * down;
function spot(p) {
  const panel = Math.floor(p / (rows * columns)), inside = p % (rows * columns);
  return [(panel % across) * panelWidth + inside % columns * cell,
          Math.floor(panel / across) * panelHeight + Math.floor(inside / columns) * cell];
}
function shade(share) {
  const from = [240, 244, 248], to = [0, 70, 130];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * share)).join()})`;
}
function drawMap() {
  const context = map.getContext("2d"), share = shares[el("map-what").value];
  context.clearRect(0, 0, map.width, map.height);
  const values = run.shares.map(share), tints = values.map(shade);
  members.forEach((each, p) => {
    const [x, y] = spot(p);
    context.fillStyle = tints[each];
    context.fillRect(x, y, Math.max(1, cell - (cell > 4 ? 1 : 0)), Math.max(1, cell - (cell > 4 ? 1 : 0)));
  });
  const mean = members.reduce((sum, each) => sum + values[each], 0) / members.length;
  const least = values.reduce((a, b) => Math.min(a, b)), most = values.reduce((a, b) => Math.max(a, b));
  el("map-text").textContent = `${el("map-what").value}: ${percent(mean)} of the time on average, ` +
    `${percent(least)} to ${percent(most)}`;
}
function coordinates(p) {
  const at = [];
  for (let dim = grid.length; dim-- > 0; p = Math.floor(p / grid[dim])) at.unshift(p % grid[dim]);
  return `(${at.join()})`;
}
function tell(p) {
  const of = run.shares[members[p]];
  el("map-text").textContent = `processor ${p} ${coordinates(p)}: busy ${percent(busy(of))}, ` +
    `waiting ${percent(waiting(of))}, idle ${percent(idle(of))}`;
}
map.addEventListener("mousemove", event => {
  const box = map.getBoundingClientRect(), scale = map.width / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  const column = Math.floor(x % panelWidth / cell), row = Math.floor(y % panelHeight / cell);
  const panel = Math.floor(y / panelHeight) * across + Math.floor(x / panelWidth);
  const p = (panel * rows + row) * columns + column;
  if (column < columns && row < rows && p < members.length) tell(p);
});
map.addEventListener("mouseleave", drawMap);
el("map-what").addEventListener("change", drawMap);

// --- time line
const line = el("line"), left = 120, lineHeight = 18;
line.height = run.lines.length * lineHeight + 26;
const ends = run.lines.map(steps => {
  const result = [];
  for (let i = 0, at = 0; i < steps.length; i += 2) result.push([at, at += steps[i], steps[i + 1]]);
  return result;
});
let begin = 0, end = 1;
function drawLine() {
  const context = line.getContext("2d"), width = line.width - left, span = (end - begin) * ticks;
  context.clearRect(0, 0, line.width, line.height);
  context.font = "12px system-ui, sans-serif";
  ends.forEach((steps, row) => {
    const y = row * lineHeight, [first, count] = run.classes[row];
    context.fillStyle = ink();
    context.fillText(count === 1 ? `processor ${first}` : `${first} and ${count - 1} more`, 2, y + 13, left - 6);
    for (const [from, to, kind] of steps) {
      const x = (from - begin * ticks) / span * width, next = (to - begin * ticks) / span * width;
      if (next < 0 || x > width) continue;
      const low = Math.max(0, x);
      context.fillStyle = colours[run.kinds[kind][0]];
      context.fillRect(left + low, y + 2, Math.min(width, next) - low, lineHeight - 4);
    }
  });
  context.fillStyle = ink();
  const y = run.lines.length * lineHeight + 16;
  for (let i = 0; i <= 4; ++i) {
    context.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
    context.fillText(time((begin + (end - begin) * i / 4) * run.time), left + width * i / 4, y);
  }
  context.textAlign = "left";
  el("line-text").textContent = `${time(begin * run.time)} to ${time(end * run.time)} of ${time(run.time)}`;
}
function show(from, to) {
  const span = Math.min(1, Math.max(1e-5, to - from));
  begin = Math.min(1 - span, Math.max(0, from));
  end = begin + span;
  drawLine();
}
function zoom(factor, at = 0.5) {
  const centre = begin + (end - begin) * at, span = (end - begin) * factor;
  show(centre - span * at, centre + span * (1 - at));
}
function move(share) { show(begin + share * (end - begin), end + share * (end - begin)); }
const place = event => {
  const box = line.getBoundingClientRect(), scale = line.width / box.width;
  return [((event.clientX - box.left) * scale - left) / (line.width - left),
          Math.floor((event.clientY - box.top) * scale / lineHeight)];
};
line.addEventListener("wheel", event => {
  event.preventDefault();
  zoom(event.deltaY < 0 ? 0.8 : 1.25, Math.min(1, Math.max(0, place(event)[0])));
}, {passive: false});
let held = null;
line.addEventListener("mousedown", event => { held = place(event)[0]; });
addEventListener("mouseup", () => { held = null; });
line.addEventListener("mousemove", event => {
  const [at, row] = place(event);
  if (held !== null) { move(held - at); held = at; return; }
  if (at < 0 || at > 1 || row < 0 || row >= ends.length) return;
  const tick = (begin + (end - begin) * at) * ticks, step = ends[row].find(([, to]) => tick < to);
  if (!step) return;
  const [first, count] = run.classes[row];
  el("line-text").textContent = `processor ${first}${count > 1 ? ` and ${count - 1} more` : ""}, ` +
    `${time(step[0] / ticks * run.time)} to ${time(step[1] / ticks * run.time)}: ${run.kinds[step[2]][1]}`;
});
line.addEventListener("mouseleave", drawLine);
line.addEventListener("keydown", event => {
  const actions = {"+": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.25),
    ArrowRight: () => move(0.25), Home: () => show(0, 1)};
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});
el("line-in").addEventListener("click", () => zoom(0.5));
el("line-out").addEventListener("click", () => zoom(2));
el("line-left").addEventListener("click", () => move(-0.25));
el("line-right").addEventListener("click", () => move(0.25));
el("line-all").addEventListener("click", () => show(0, 1));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawLine);
drawMap();
const linked = /[#&]processor=(\d+)/.exec(location.hash);
if (linked && +linked[1] < members.length) tell(+linked[1]);
const period = /[#&]time=([\d.]+)-([\d.]+)/.exec(location.hash);
if (period && +period[2] > +period[1]) show(+period[1] / run.time, +period[2] / run.time); else drawLine();
map.dataset.ready = "yes";
})();
)js";

}  // namespace

std::string_view run_script() noexcept { return run_text; }

}  // namespace gridcast::report

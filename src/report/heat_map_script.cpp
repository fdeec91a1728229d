#include "heat_map_script.h"

namespace gridcast::report {
namespace {

// Cells are found from pixels, so that drawing costs pixels and not grids. A grid can be linked to:
// #grid=12x5.
constexpr std::string_view script = R"js(
(async () => {
const canvas = document.getElementById("heat"), told = document.getElementById("heat-text");
const P = +canvas.dataset.processors, least = +canvas.dataset.least, ratio = 1 + +canvas.dataset.step;
const best = canvas.dataset.best.split(",").map(Number);
const packed = Uint8Array.from(atob(document.getElementById("heat-data").textContent), c => c.charCodeAt(0));
const bytes = new Uint8Array(await new Response(new Blob([packed]).stream()
  .pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
const count = bytes.length / 2, levels = new Uint16Array(count);
for (let i = 0, before = 0; i < count; ++i) levels[i] = before = before + bytes[i] + 256 * bytes[count + i] & 65535;
const starts = new Float64Array(P + 2);
for (let p = 1; p <= P; ++p) starts[p + 1] = starts[p] + Math.floor(P / p);
const level = (p, q) => p >= 1 && q >= 1 && p * q <= P ? levels[starts[p] + q - 1] : 0;
const size = canvas.width, margin = 48, top = 24, side = size - margin - top, octaves = Math.max(1, Math.log2(P));
const extent = share => Math.max(1, Math.min(P, Math.round(2 ** (share * octaves))));
const place = p => Math.log2(p) / octaves * side;
const shades = [[13,42,92],[0,114,178],[86,180,233],[178,214,190],[240,228,66],[240,169,26],[213,94,0],[127,39,4]];
function shade(value) {
  const at = Math.min(shades.length - 1.001, Math.log2(ratio) * (value - 1)), low = Math.floor(at), part = at - low;
  return shades[low].map((from, i) => from + (shades[low + 1][i] - from) * part);
}
function time(seconds) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [unit, name] = units.find(([unit]) => seconds >= unit) || units[3];
  return `${(seconds / unit).toPrecision(4)} ${name}`;
}
const context = canvas.getContext("2d");
function draw(marked) {
  const style = getComputedStyle(document.body);
  context.clearRect(0, 0, size, size);
  const image = context.createImageData(side, side);
  for (let y = 0; y < side; ++y) for (let x = 0; x < side; ++x) {
    const value = level(extent(x / side), extent((side - 1 - y) / side));
    if (value) image.data.set([...shade(value), 255], 4 * (y * side + x));
  }
  context.putImageData(image, margin, top);
  context.fillStyle = style.color;
  context.font = "12px system-ui, sans-serif";
  for (let octave = 0; octave <= octaves; octave += Math.ceil(octaves / 8)) {
    const at = octave / octaves * side, text = String(2 ** octave);
    context.textAlign = "center";
    context.fillText(text, margin + at, top + side + 16);
    context.textAlign = "right";
    context.fillText(text, margin - 6, top + side - at + 4);
  }
  context.fillText("P1", margin + side, top + side + 32);
  context.fillText("P2", margin - 6, 12);
  for (const [cell, colour] of [[best, "#fff"], [marked, "#f0f"]]) if (cell && cell[0] > 0) {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(margin + place(cell[0]), top + side - place(cell[1]), 6, 0, 7);
    context.stroke();
  }
}
let cell = best[0] > 0 ? [...best] : [1, 1];
function tell(p, q, mark) {
  if (p < 1 || q < 1 || p * q > P) return;
  cell = [p, q];
  const value = level(p, q), slower = ratio ** (value - 1);
  told.textContent = `${p}×${q}, ${p * q} processors: ` + (value
    ? `${time(least * slower)}, ${(100 * (slower - 1)).toFixed(1)} % slower than the fastest` : "not evaluated");
  if (mark) draw(cell);
}
canvas.addEventListener("pointermove", event => {
  const box = canvas.getBoundingClientRect(), scale = size / box.width;
  const x = (event.clientX - box.left) * scale - margin, y = top + side - (event.clientY - box.top) * scale;
  if (x >= 0 && y >= 0) tell(extent(x / side), extent(y / side), false);
});
canvas.addEventListener("click", () => { location.hash = `grid=${cell.join("x")}`; });
canvas.addEventListener("keydown", event => {
  const by = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
  if (!by) return;
  event.preventDefault();
  tell(cell[0] + by[0], cell[1] + by[1], true);
});
function follow() {
  const link = /^#grid=(\d+)x(\d+)$/.exec(location.hash);
  if (link) tell(+link[1], +link[2], true);
}
addEventListener("hashchange", follow);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(cell));
draw();
tell(...cell, false);
follow();
canvas.dataset.ready = "yes";
})();
)js";

}  // namespace

std::string_view heat_map_script() noexcept { return script; }

}  // namespace gridcast::report

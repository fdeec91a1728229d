// Which node each coordinate of the grid is on, worked out from the placement and the sizes of the nodes where it is
// drawn: rows and columns are the last two dimensions, panels the others.
(() => {
const el = name => document.getElementById(name), map = el("placement-map"), text = el("placement-text");
const {kind, grid, block, nodes} = JSON.parse(el("placement-data").textContent);
const rank = grid.length, product = of => of.reduce((a, b) => a * b, 1);

// --- the number of a coordinate's processor in the machine, and the node of that
const byRow = (at, extents) => at.reduce((number, each, i) => number * extents[i] + each, 0);
function leaf(at) {
  if (kind === "column") return byRow(at.slice().reverse(), grid.slice().reverse());
  if (kind === "row") return byRow(at, grid);
  const outer = byRow(at.map((each, i) => Math.floor(each / block[i])), grid.map((each, i) => each / block[i]));
  return outer * product(block) + byRow(at.map((each, i) => each % block[i]), block);
}
const runs = [];
let processors = 0, before = 0;
for (const [count, size] of nodes) {
  runs.push({first: processors, size, before});
  processors += count * size;
  before += count;
}
function node(number) {
  let low = 0, high = runs.length;
  while (high - low > 1) { const middle = (low + high) >> 1; if (runs[middle].first <= number) low = middle; else high = middle; }
  return runs[low].before + Math.floor((number - runs[low].first) / runs[low].size);
}

// --- where a coordinate is drawn; more than a pixel each, or several in one
const wide = 640, high = 400, mostPanels = 64;
const columns = rank > 1 ? grid[rank - 1] : Math.min(64, grid[0]);
const rows = rank > 1 ? grid[rank - 2] : Math.ceil(grid[0] / columns);
const all = product(grid.slice(0, -2)), panels = rank > 2 ? Math.min(all, mostPanels) : 1;
const gap = panels > 1 ? 6 : 0;
let across = 1, cell = 0;
for (let tried = 1; tried <= panels; ++tried) {
  const size = Math.min((wide - gap * tried) / (columns * tried), (high - gap * Math.ceil(panels / tried)) / (rows * Math.ceil(panels / tried)));
  if (size > cell) [across, cell] = [tried, size];
}
cell = Math.min(28, cell >= 1 ? Math.floor(cell) : cell);
const panelWidth = Math.max(1, Math.round(columns * cell)), panelHeight = Math.max(1, Math.round(rows * cell));
map.width = (panelWidth + gap) * across;
map.height = (panelHeight + gap) * Math.ceil(panels / across);
function coordinate(x, y) {  // of a pixel; nothing between panels
  const px = Math.floor(x / (panelWidth + gap)), py = Math.floor(y / (panelHeight + gap)), panel = py * across + px;
  const column = Math.floor((x - px * (panelWidth + gap)) / cell), row = Math.floor((y - py * (panelHeight + gap)) / cell);
  if (x < 0 || y < 0 || panel >= panels || px >= across || column >= columns || row >= rows) return null;
  if (rank === 1) return row * columns + column < grid[0] ? [row * columns + column] : null;
  const at = [row, column];
  for (let dim = rank - 2, left = panel; dim-- > 0; left = Math.floor(left / grid[dim])) at.unshift(left % grid[dim]);
  return at;
}

// --- neighbouring nodes get colours far apart; a line parts nodes where there is room
const palette = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [240, 228, 66], [204, 121, 167], [213, 94, 0], [0, 114, 178],
  [153, 153, 153], [148, 103, 189], [140, 196, 92], [188, 143, 94]];
const colour = number => palette[number * 4 % palette.length];
function draw() {
  const context = map.getContext("2d"), image = context.createImageData(map.width, map.height);
  for (let y = 0; y < map.height; ++y) for (let x = 0; x < map.width; ++x) {
    const at = coordinate(x, y);
    if (!at) continue;
    const own = node(leaf(at));
    let rgb = colour(own);
    if (cell >= 6) {
      const right = coordinate(x + 1, y), below = coordinate(x, y + 1);
      const parts = (right && node(leaf(right)) !== own) || (below && node(leaf(below)) !== own);
      const cells = cell >= 12 && ((right && right.join() !== at.join()) || (below && below.join() !== at.join()));
      rgb = parts ? [30, 30, 30] : cells ? rgb.map(each => (each + 255) >> 1) : rgb;
    }
    image.data.set([...rgb, 255], 4 * (y * map.width + x));
  }
  context.putImageData(image, 0, 0);
}
const count = node(product(grid) - 1) + 1;
const summary = `${count} nodes` + (panels < all ? `; the first ${panels} of ${all} planes are drawn` : "");
function tell(at) {
  const number = leaf(at), own = node(number), run = runs.findLast(each => each.first <= number);
  text.textContent = `(${at.join()}): node ${own} of ${count}, place ${(number - run.first) % run.size} of ${run.size}`;
}
let chosen = null;
map.addEventListener("mousemove", event => {
  const box = map.getBoundingClientRect(), scale = map.width / box.width;
  const at = coordinate((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  if (at) { chosen = at; tell(at); } else text.textContent = summary;
});
map.addEventListener("mouseleave", () => { text.textContent = summary; });
map.addEventListener("keydown", event => {
  const steps = {ArrowRight: [rank - 1, 1], ArrowLeft: [rank - 1, -1], ArrowDown: [rank - 2, 1], ArrowUp: [rank - 2, -1],
    PageDown: [rank - 3, 1], PageUp: [rank - 3, -1]};
  const step = steps[event.key];
  if (!step || step[0] < 0) return;
  event.preventDefault();
  const at = chosen || grid.map(() => 0);
  if (chosen) at[step[0]] = Math.max(0, Math.min(grid[step[0]] - 1, at[step[0]] + step[1]));
  chosen = at;
  tell(at);
});
draw();
text.textContent = summary;
const linked = /[#&]coordinate=([\d,]+)/.exec(location.hash);
if (linked) {
  const at = linked[1].split(",").map(Number);
  if (at.length === rank && at.every((each, i) => each < grid[i])) { chosen = at; tell(at); }
}
map.dataset.ready = "yes";
})();

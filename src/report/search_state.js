// What is shown: filters, order and the chosen grid, kept in the address of the page (#grid=12x5&processors=16-64).

const state = {grid: -1, metric: "time", empty: false, from: 1, to: Infinity, slower: Infinity, least: 0,
  fixed: axes.map(() => 0), sort: "", falling: false, first: 0, lines: true, brush: new Map()};
const sortable = ["grid", "processors", "time", "efficiency", "insufficient", "communication", "idle"];

function stateText(grids) {
  const words = [];
  if (state.grid >= 0) words.push(`grid=${gridNumbers(grids, state.grid).join("x")}`);
  if (state.metric !== "time") words.push(`show=${state.metric}`);
  if (state.empty !== page.showEmpty) words.push(`empty=${state.empty ? 1 : 0}`);
  if (state.from > 1 || state.to < Infinity) words.push(`processors=${state.from}-${state.to < Infinity ? state.to : ""}`);
  if (state.slower < Infinity) words.push(`slower=${state.slower}`);
  if (state.least > 0) words.push(`efficiency=${state.least}`);
  state.fixed.forEach((value, d) => { if (value > 0) words.push(`${axes[d]}=${value}`); });
  if (state.sort) words.push(`sort=${state.falling ? "-" : ""}${state.sort}`);
  if (state.first > 0) words.push(`first=${state.first + 1}`);
  if (!state.lines) words.push("lines=0");
  if (state.brush.size) words.push(`brush=${Array.from(state.brush, ([name, ends]) => [name, ...ends].join(":")).join()}`);
  return words.join("&");
}

function readState(grids) {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (name, otherwise) => {
    const text = given.get(name), value = Number(text);
    return text !== null && text !== "" && value >= 0 ? value : otherwise;
  };
  const grid = (given.get("grid") || "").split("x").map(Number);
  state.grid = grid.length === page.rank + (page.threads ? 1 : 0) ? indexOf(grids, grid) : -1;
  const metric = given.get("show");
  state.metric = [...el("metric").options].some(option => option.value === metric) ? metric : "time";
  state.empty = (given.has("empty") ? given.get("empty") === "1" : page.showEmpty) || (state.grid >= 0 && grids.empty[state.grid] === 1);
  const [from, to] = (given.get("processors") || "").split("-");
  state.from = Number(from) || 1;
  state.to = Number(to === undefined ? from : to) || Infinity;
  state.slower = number("slower", Infinity);
  state.least = number("efficiency", 0);
  state.fixed = axes.map(name => number(name, 0));
  const sort = given.get("sort") || "", name = sort.replace(/^-/, "");
  state.sort = sortable.includes(name) ? name : "";
  state.falling = sort.startsWith("-");
  state.first = Math.max(0, number("first", 1) - 1);
  state.lines = given.get("lines") !== "0";
  state.brush = new Map((given.get("brush") || "").split(",").map(word => word.split(":"))
    .map(([name, low, high]) => [name, [Number(low), Number(high)]]).filter(([, [low, high]]) => low <= high));
}

/// The grids that pass the filters, in the order of the page.
function passing(grids, fastest) {
  const result = new Uint32Array(grids.count), limit = fastest * (1 + state.slower / 100) * (1 + 1e-12);
  const fixed = state.fixed.map((value, d) => [value, grids.extents[d]]).filter(([value]) => value > 0);
  let found = 0;
  for (let i = 0; i < grids.count; ++i) {
    if (!(grids.time[i] <= limit) || (grids.empty[i] && !state.empty)) continue;
    if (grids.processors[i] < state.from || grids.processors[i] > state.to) continue;
    if (100 * grids.efficiency[i] < state.least) continue;
    if (fixed.length && !fixed.every(([value, extent]) => extent[i] === value)) continue;
    result[found++] = i;
  }
  return result.subarray(0, found);
}

/// How to compare two grids as the search ranks them.
function ranking(grids) {
  const rank = grids.rankOf, by = page.objective === "efficiency" ? i => -grids.efficiency[i] : i => grids.time[i];
  return (a, b) => (rank.get(a) ?? Infinity) - (rank.get(b) ?? Infinity) || by(a) - by(b) || a - b;
}

/// How to compare two grids: by the chosen column, or as the search ranks them.
function order(grids) {
  if (state.sort && state.sort !== "grid") {
    const values = grids[state.sort], sign = state.falling ? -1 : 1;
    return (a, b) => sign * (values[a] - values[b]) || a - b;
  }
  if (state.sort === "grid") return state.falling ? (a, b) => b - a : (a, b) => a - b;
  return ranking(grids);
}

/// The first `wanted` of the grids in this order: without sorting all of them.
function firstOf(shown, compare, wanted) {
  if (wanted > 400) return Array.from(shown).sort(compare).slice(0, wanted);
  const best = [];
  for (const i of shown) {
    if (best.length === wanted && compare(i, best[wanted - 1]) >= 0) continue;
    let low = 0, high = best.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (compare(i, best[middle]) < 0) high = middle; else low = middle + 1;
    }
    best.splice(low, 0, i);
    if (best.length > wanted) best.pop();
  }
  return best;
}

function csvOf(grids, shown) {
  const lines = [`${axes.join()}${page.threads ? ",threads" : ""},processors,execution_time,efficiency,insufficient_parallelism,communication,idle,` +
    "leaves_empty,exact"];
  for (const i of Array.from(shown).sort(order(grids))) {
    const exact = grids.rankOf.has(i), k = grids.rankOf.get(i), total = totalOf(grids, i);
    const number = value => exact ? String(value) : String(Number(value.toPrecision(4)));
    const loss = (share, name) => number(exact ? grids.exact[name][k] : share[i] * total);
    lines.push([gridNumbers(grids, i).join(), grids.processors[i], number(grids.time[i]), number(grids.efficiency[i]),
      loss(grids.insufficient, "insufficient_parallelism"), loss(grids.communication, "communication"),
      loss(grids.idle, "idle"), grids.empty[i], exact ? 1 : 0].join());
  }
  return lines.join("\n") + "\n";
}

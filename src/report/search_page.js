// The page as a whole: controls, table, the chosen grid.

const rowsPerPage = 20;
const causes = [["productive_cpu_time", "Productive, processors"], ["productive_sys_time", "Productive, run-time library"],
  ["io_time", "Productive, I/O"], ["insufficient_parallelism", "Insufficient parallelism"],
  ["io_communication", "Communication of I/O"], ["reduction_communication", "Reductions"],
  ["shadow_communication", "Shadow edges"], ["remote_access_communication", "Remote access"],
  ["redistribution_communication", "Redistribution"], ["idle", "Idle"]];
const tints = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c9", "c10", "c11"];

/// A number of processors' seconds as a stacked bar with a legend.
function stack(parts, total) {
  const bar = node("div", {className: "stack"}), legend = node("ul", {className: "legend"});
  bar.setAttribute("aria-hidden", "true");
  parts.forEach(([name, value], k) => {
    if (!(value > 0)) return;
    const share = value / total, piece = node("i", {className: tints[k], title: `${name}: ${percent(share)}`},
      share >= 0.04 ? String(k + 1) : "");
    piece.style.flexGrow = 1000 * share;
    bar.append(piece);
    legend.append(node("li", {}, node("b", {className: `key ${tints[k]}`}, String(k + 1)), ` ${name} `,
      node("span", {className: "num"}, seconds(value)), " ", node("span", {className: "mute num"}, percent(share))));
  });
  return [bar, legend];
}

function showGrid(grids, i) {
  const panel = el("grid-panel");
  panel.hidden = i < 0;
  if (i < 0) return;
  const k = grids.rankOf.get(i), total = totalOf(grids, i);
  const cards = [["Execution time", seconds(grids.time[i])], ["Efficiency", grids.efficiency[i].toFixed(4)],
    ["Slower than the fastest by", percent(grids.time[i] / page.fastest - 1)],
    ["Processors", grouped(grids.processors[i])]];
  el("grid-title").textContent = `Grid ${gridText(grids, i)}`;
  el("grid-cards").replaceChildren(...cards.map(([name, value]) =>
    node("div", {}, node("dt", {}, name), node("dd", {}, value))));
  el("grid-note").textContent = (grids.empty[i] ? "It leaves processors empty. " : "") + (k === undefined
    ? `Times to ${100 * page.step} %, shares to ${100 / page.shares} %: the store has the exact figures.`
    : `Number ${k + 1} of the best grids; exact figures.`);
  const known = k !== undefined ? causes.map(([name, title]) => [title, grids.exact[name][k]]) : (() => {
    const lost = [["Insufficient parallelism", grids.insufficient[i]], ["Communication", grids.communication[i]],
      ["Idle", grids.idle[i]]].map(([name, share]) => [name, share * total]);
    return [["Productive", grids.efficiency[i] * total], ["", 0], ["", 0], lost[0], ["", 0], lost[1], ["", 0], ["", 0], ["", 0], lost[2]];
  })();
  el("grid-parts").replaceChildren(...stack(known, total));
  const rows = k === undefined ? [] : page.exact.names.filter(name => name !== "index").map(name => {
    const value = grids.exact[name][k], count = name.endsWith("_operations"), plain = count || name === "efficiency";
    return node("tr", {}, node("th", {scope: "row"}, name.replaceAll("_", " ")),
      node("td", {title: String(value)}, count ? grouped(value) : plain ? value.toFixed(4) : seconds(value)));
  });
  el("grid-all").hidden = rows.length === 0;
  el("grid-rows").replaceChildren(...rows);
}

function tableRow(grids, i, place) {
  const exact = grids.rankOf.has(i), share = value => percent(value);
  const time = node("td", {}, seconds(grids.time[i]));
  if (exact) time.title = `${grids.time[i]} s`;
  const row = node("tr", {}, node("th", {scope: "row"}, grouped(place)), node("td", {}, gridLink(grids, i)),
    node("td", {}, grouped(grids.processors[i])), time,
    node("td", {className: "sh"}, `+${percent(grids.time[i] / page.fastest - 1)}`),
    node("td", {}, grids.efficiency[i].toFixed(4)), node("td", {}, share(grids.insufficient[i])),
    node("td", {}, share(grids.communication[i])), node("td", {}, share(grids.idle[i])));
  if (i === page.best) row.className = "chosen";
  return row;
}

function showTable(grids, shown) {
  state.first = Math.max(0, Math.min(state.first, Math.floor((shown.length - 1) / rowsPerPage) * rowsPerPage));
  const rows = firstOf(shown, order(grids), state.first + rowsPerPage).slice(state.first);
  el("grid-table").tBodies[0].replaceChildren(...rows.map((i, k) => tableRow(grids, i, state.first + k + 1)));
  el("table-text").textContent = shown.length === 0 ? "No grid passes the filters."
    : `${grouped(state.first + 1)} to ${grouped(state.first + rows.length)} of ${grouped(shown.length)} grids`;
  el("table-earlier").disabled = state.first === 0;
  el("table-later").disabled = state.first + rowsPerPage >= shown.length;
  for (const head of el("grid-table").tHead.querySelectorAll("[data-sort]")) {
    const chosen = head.dataset.sort === state.sort;
    head.parentElement.setAttribute("aria-sort", !chosen ? "none" : state.falling ? "descending" : "ascending");
  }
}

function fillControls() {
  el("metric").value = state.metric;
  el("show-empty").checked = state.empty;
  el("show-lines").checked = state.lines;
  el("from").value = state.from > 1 ? state.from : "";
  el("to").value = state.to < Infinity ? state.to : "";
  el("slower").value = state.slower < Infinity ? state.slower : "";
  el("least").value = state.least > 0 ? state.least : "";
  axes.forEach((name, d) => { el(`fix-${name}`).value = state.fixed[d] || ""; });
}

function readControls() {
  const number = (id, otherwise) => el(id).value !== "" && el(id).valueAsNumber >= 0 ? el(id).valueAsNumber : otherwise;
  state.metric = el("metric").value;
  state.empty = el("show-empty").checked;
  state.lines = el("show-lines").checked;
  state.from = number("from", 1);
  state.to = number("to", Infinity);
  state.slower = number("slower", Infinity);
  state.least = number("least", 0);
  state.fixed = axes.map(name => Math.floor(number(`fix-${name}`, 0)));
  state.first = 0;
}

function makeCharts(grids, choose) {
  const range = (points, value) => points.reduce(([low, high], i) => [Math.min(low, value(i)), Math.max(high, value(i))],
    [Infinity, 0]);
  const near = page.front.filter(each => each.by === "processors" && each.within <= 0.1).map(each => ({i: indexOf(grids, each.grid),
    name: each.within ? `${+(100 * each.within).toPrecision(6)} %` : "fastest"})).filter(each => each.i >= 0);
  const marks = () => {
    const at = new Map();
    for (const {i, name} of near) at.set(i, at.has(i) ? `${at.get(i)}, ${name}` : name);
    return Array.from(at, ([i, name]) => ({i, name})).reverse();
  };
  const fewest = near.map(({i, name}) => `${name}: ${grouped(grids.processors[i])} (${gridText(grids, i)})`).join("; ");
  /// Lines of equal efficiency: productive time over processors and efficiency.
  const equalEfficiency = (x, y) => [1, 0.75, 0.5, 0.25, 0.1].map(level => {
    const [low, high] = x.domain(), slowest = y.domain()[1], at = p => [x(p), y(page.productive / (level * p))];
    const named = at(Math.max(low, page.productive / (level * slowest)));
    return {path: [at(low), at(high)], at: [named[0] + 6, named[1] + 14], name: level === 1 ? "efficiency 1" : String(level)};
  });
  return [chart("time", grids, {logarithmic: true, steps: true, choose, value: i => grids.time[i],
    points: per => per.fastest, lines: page.threads ? () => [] : equalEfficiency, marks,
    domain: points => { const [low, high] = range(points, i => grids.time[i]); return points.length ? [low * 0.8, high * 1.25] : [1, 2]; },
    summary: () => fewest ? `Fewest processors within a part of the fastest: ${fewest}.` : ""}),
  chart("efficiency", grids, {logarithmic: false, steps: false, choose, value: i => grids.efficiency[i],
    points: per => per.efficient, lines: () => [], marks: () => [], domain: () => [0, 1.05],
    summary: per => `Processors: ${grouped(per.efficient.length)} different number${per.efficient.length === 1 ? "" : "s"}` +
      (page.staircase ? "; the line follows the Pareto front." : ".")})];
}

/// Copies the command before a button.
async function copyLine(button) {
  getSelection().selectAllChildren(button.previousElementSibling);
  try {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 2000);
}
for (const button of document.querySelectorAll("button.copy")) button.addEventListener("click", () => copyLine(button));

async function openSearch() {
  const grids = await readGrids(), proof = await readProof(grids);
  page.best = page.chosen ? indexOf(grids, page.chosen) : -1;
  // Grids that leave processors empty are folded away, unless nothing else is there or one of them is the answer.
  page.showEmpty = page.empty === page.evaluated || (page.best >= 0 && grids.empty[page.best] === 1);
  el("show-empty").defaultChecked = page.showEmpty;
  page.fastest = page.least;
  let shown = new Uint32Array(0);
  const choose = i => { state.grid = i; keep(); showGrid(grids, i); paint(); };
  const maps = [heatMap(grids, proof, choose), ...(page.rank > 2 ? [parallelAxes(grids, choose, keep)] : [])];
  const charts = makeCharts(grids, choose);
  function keep() {
    const text = stateText(grids);
    history.replaceState(null, "", text ? `#${text}` : location.pathname);
  }
  function paint() {
    const per = perProcessors(grids, shown);
    for (const each of maps) each.update(shown, state.grid);
    for (const each of charts) each.update(per, state.grid);
  }
  function refresh() {
    shown = passing(grids, page.fastest);
    const folded = page.empty - (state.empty ? page.empty : 0);
    el("shown-text").textContent = `${grouped(shown.length)} of ${grouped(page.evaluated)} evaluated grids shown` +
      (folded > 0 ? `; ${grouped(folded)} that leave processors empty are folded away.` : ".");
    paint();
    showTable(grids, shown);
    showGrid(grids, state.grid);
  }
  function follow() {
    if (/^#(?!.*=)/.test(location.hash)) return;
    readState(grids);
    fillControls();
    refresh();
  }
  el("filters").addEventListener("input", () => { readControls(); keep(); refresh(); });
  el("filters").addEventListener("submit", event => event.preventDefault());
  el("filters").addEventListener("reset", () => setTimeout(() => { readControls(); keep(); refresh(); }));
  el("grid-close").addEventListener("click", () => choose(-1));
  el("csv").addEventListener("click", () => download("grids.csv", csvOf(grids, shown)));
  el("grid-table").addEventListener("click", event => {
    const link = event.target.closest("a[data-grid]"), sort = event.target.closest("button[data-sort]");
    if (link) { event.preventDefault(); choose(Number(link.dataset.grid)); el("grid-panel").scrollIntoView({block: "nearest"}); }
    if (!sort) return;
    const name = sort.dataset.sort, falls = name !== "time" && name !== "grid" && name !== "processors";
    if (state.sort !== name) [state.sort, state.falling] = [name, falls];
    else if (state.falling === falls) state.falling = !falls;
    else [state.sort, state.falling] = ["", false];
    state.first = 0;
    keep();
    showTable(grids, shown);
  });
  for (const [id, by] of [["table-earlier", -rowsPerPage], ["table-later", rowsPerPage]])
    el(id).addEventListener("click", () => { state.first += by; keep(); showTable(grids, shown); });
  addEventListener("hashchange", follow);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  let before = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    if (document.documentElement.clientWidth === before) return;
    before = document.documentElement.clientWidth;
    for (const each of [...maps, ...charts]) each.resize();
    frontChart();
  });
  el("explore").hidden = false;
  for (const each of [...maps, ...charts]) each.measure();
  readState(grids);
  fillControls();
  refresh();
  document.body.dataset.opened = Math.round(performance.now());
}

frontChart();
openSearch().catch(error => {
  el("explore-note").textContent = `The grids cannot be shown: ${error.message}. This needs a browser that can unpack deflate streams.`;
  throw error;
});

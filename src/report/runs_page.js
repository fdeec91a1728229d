// The page of a data set as a whole: controls, which numbers go with the result, the address.

function keepState() {
  const words = [];
  if (state.show !== results[0]) words.push(`show=${state.show}`);
  if (state.over !== runs.varying[0]) words.push(`over=${encodeURIComponent(state.over)}`);
  if (state.from > -Infinity) words.push(`from=${state.from}`, `to=${state.to}`);
  history.replaceState(null, "", words.length ? `#${words.join("&")}` : location.pathname);
}
function readRunState() {
  const given = new URLSearchParams(location.hash.slice(1)), known = (name, of) => of.includes(given.get(name)) ? given.get(name) : of[0] ?? "";
  state.show = known("show", results);
  state.over = known("over", runs.varying);
  const [from, to] = ["from", "to"].map(name => parseFloat(given.get(name)));
  [state.from, state.to] = from <= to ? [from, to] : [-Infinity, Infinity];
}

/// The numbers that vary, the strongest first: by total Sobol' index of all predictions, then those without one by what the
/// result of the chosen predictions rises or falls with. Each with both.
function byStrength(names, columns, chosen) {
  const of = name => Float64Array.from(chosen, i => columns[name][i]), result = of(state.show), totals = runs.totals[state.show];
  return names.map(name => [name, rankCorrelation(of(name), result), totals?.[name] ?? -1])
    .sort((a, b) => b[2] - a[2] || (Math.abs(b[1]) || 0) - (Math.abs(a[1]) || 0));
}

/// Which numbers the result rises or falls with, the strongest first; a click shows them.
function showCorrelations(columns, chosen) {
  const rows = byStrength(runs.varying, columns, chosen).map(([name, value, total]) => {
    const link = node("a", {href: `#over=${encodeURIComponent(name)}`}, name);
    link.dataset.over = name;
    return node("tr", {className: name === state.over ? "chosen" : ""}, node("th", {scope: "row", className: "l"}, link),
      ...Object.keys(runs.totals).length ? [node("td", {}, total < 0 ? "none" : total.toFixed(3))] : [],
      node("td", {}, isNaN(value) ? "none" : value.toFixed(3).replace("-", "−")));
  });
  el("with-rows").replaceChildren(...rows);
}

async function openRuns() {
  const {columns, varying} = await readRuns();
  runs.varying = byStrength(varying, columns, d3.range(runs.count)).map(([name]) => name);
  for (const [id, names] of [["runs-show", results], ["runs-over", runs.varying]])
    el(id).replaceChildren(...names.map(name => node("option", {value: name}, titleOf(name))));
  const choose = (from, to) => { [state.from, state.to] = [from, to]; keepState(); refresh(); };
  const spread = distribution(columns, choose), over = dependence(columns);
  let chosen = [];
  function refresh() {
    chosen = chosenRuns(columns);
    el("runs-show").value = state.show;
    el("runs-over").value = state.over;
    el("runs-text").textContent = state.from > -Infinity
      ? `${grouped(chosen.length)} of ${grouped(runs.count)} predictions chosen: ${titleOf(state.show)} from ${numberText(state.show, state.from)} to ${numberText(state.show, state.to)}`
      : `All ${grouped(runs.count)} predictions.`;
    el("runs-reset").disabled = state.from === -Infinity;
    spread.draw();
    over.update(chosen);
    showCorrelations(columns, chosen);
  }
  const show = (name, value) => {
    state[name] = value;
    if (name === "show") { [state.from, state.to] = [-Infinity, Infinity]; spread.reset(); }
    keepState();
    refresh();
  };
  el("runs-show").addEventListener("change", event => show("show", event.target.value));
  el("runs-over").addEventListener("change", event => show("over", event.target.value));
  el("runs-reset").addEventListener("click", () => choose(-Infinity, Infinity));
  el("runs-csv").addEventListener("click", () => download("predictions.csv", csvOfRuns(columns, chosen)));
  el("runs-json").addEventListener("click", () => download("predictions.json", jsonOfRuns(columns, chosen), "application/json"));
  el("with-rows").addEventListener("click", event => {
    const link = event.target.closest("a[data-over]");
    if (link) { event.preventDefault(); show("over", link.dataset.over); }
  });
  addEventListener("hashchange", () => { readRunState(); refresh(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  let before = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    if (document.documentElement.clientWidth !== before) { before = document.documentElement.clientWidth; spread.draw(); over.draw(); }
  });
  el("runs").hidden = false;
  el("over-figure").hidden = varying.length === 0;
  readRunState();
  refresh();
  document.body.dataset.opened = Math.round(performance.now());
}

openRuns().catch(error => {
  el("runs-note").textContent = `The charts cannot be shown: ${error.message}. This needs a browser that can unpack deflate streams.`;
  throw error;
});

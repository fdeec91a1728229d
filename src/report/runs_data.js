// The predictions of a data set: numbers that vary, results, and what is shown of them, which is kept in the address of
// the page (#show=efficiency&over=mvs.TStart&from=0.01&to=0.02).
const runs = JSON.parse(el("runs-data").textContent);
const inputs = runs.names.slice(0, runs.inputs), results = runs.names.slice(runs.inputs);
const state = {show: results[0], over: "", from: -Infinity, to: Infinity};

const unitOf = name => runs.units[runs.names.indexOf(name)];
function numberText(name, value) {
  const unit = unitOf(name);
  if (unit === "s") return seconds(value);
  const text = Number.isInteger(value) && Math.abs(value) < 1e9 ? grouped(value) : String(Number(value.toPrecision(5)));
  return unit === "1" ? text : `${text} ${unit}`;
}
const titleOf = name => unitOf(name) === "1" || unitOf(name) === "s" ? name.replaceAll("_", " ") : `${name.replaceAll("_", " ")} (${unitOf(name)})`;

async function readRuns() {
  const columns = doubleColumns(await unpacked("runs-values"), runs), varying = inputs.filter(name => {
    const [least, most] = d3.extent(columns[name]);
    return least < most && !runs.labels.includes(name);
  });
  return {columns, varying};
}

/// The numbers of the predictions whose shown result is in the chosen range.
function chosenRuns(columns) {
  const of = columns[state.show], found = [];
  for (let i = 0; i < runs.count; ++i) if (of[i] >= state.from && of[i] <= state.to) found.push(i);
  return found;
}

/// Places in the order of values, equal ones share the mean of theirs.
function placesOf(values) {
  const order = d3.range(values.length).sort((a, b) => values[a] - values[b]), places = new Float64Array(values.length);
  for (let i = 0; i < order.length;) {
    let j = i;
    while (j < order.length && values[order[j]] === values[order[i]]) ++j;
    for (let k = i; k < j; ++k) places[order[k]] = (i + j - 1) / 2;
    i = j;
  }
  return places;
}

/// Spearman's rank correlation, NaN if one of the two does not vary.
function rankCorrelation(a, b) {
  const [x, y] = [placesOf(a), placesOf(b)], mean = (x.length - 1) / 2;
  let xy = 0, xx = 0, yy = 0;
  for (let i = 0; i < x.length; ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) ** 2;
    yy += (y[i] - mean) ** 2;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

/// Logarithmic where values span more than a factor of 30, but for efficiencies.
function scaleOf(name, values) {
  const [least, most] = d3.extent(values), wide = name !== "efficiency" && least > 0 && most > 30 * least;
  const room = wide ? [least / 1.06, most * 1.06] : [least - 0.03 * (most - least || Math.abs(least) || 1), most + 0.03 * (most - least || Math.abs(most) || 1)];
  return (wide ? d3.scaleLog() : d3.scaleLinear()).domain(room);
}
function tickText(name, value) {
  const text = unitOf(name) === "s" ? seconds(value) : String(Number(value.toPrecision(5)));
  return text.replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
}
function ticksOf(scale, count) {
  return scale.base ? roundTicks(scale.domain()).filter((_, k, all) => k % Math.ceil(all.length / count) === 0) : scale.ticks(count);
}

/// Predictions with equal or near values of an input: each distinct value, or twelve parts with equally many.
function partsOf(columns, chosen, name) {
  const of = columns[name], order = chosen.slice().sort((a, b) => of[a] - of[b]), distinct = new Set(order.map(i => of[i])).size;
  const parts = [];
  for (const i of order) {
    const last = parts[parts.length - 1], full = distinct > 16 && last && last.length >= order.length / 12;
    const same = last && of[last[0]] === of[i];
    if (!last || (distinct <= 16 ? !same : full && of[last[last.length - 1]] !== of[i])) parts.push([i]); else last.push(i);
  }
  return parts.map(part => {
    const values = part.map(i => columns[state.show][i]).sort((a, b) => a - b);
    const [low, middle, high] = [0.1, 0.5, 0.9].map(share => d3.quantile(values, share));
    return {from: of[part[0]], to: of[part[part.length - 1]], at: d3.median(part, i => of[i]), count: part.length, low, middle, high};
  });
}

function runText(columns, i) {
  const extents = inputs.filter(name => /^p[1-4]$/.test(name)).map(name => columns[name][i]);
  const words = inputs.filter(name => !/^p[1-4]$/.test(name) && (runs.labels.includes(name) || runs.varying.includes(name)))
    .map(name => `${name.replaceAll("_", " ")} ${numberText(name, columns[name][i])}`);
  return `${words.join(", ")}; grid ${extents.join("×")}: ${results.slice(0, 2).map(name =>
    `${name.replaceAll("_", " ")} ${numberText(name, columns[name][i])}`).join(", ")}`;
}

const jsonOfRuns = (columns, chosen) =>
  JSON.stringify(chosen.map(i => Object.fromEntries(runs.names.map(name => [name, columns[name][i]]))), null, 1) + "\n";
function csvOfRuns(columns, chosen) {
  return [runs.names.map(csvCell).join(), ...chosen.map(i => runs.names.map(name => columns[name][i]).join())].join("\n") + "\n";
}

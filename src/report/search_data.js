// Everything the page knows about the grids. They stand in lexicographic order; where all grids of at most
// `page.processors` processors are there, their extents are not stored but counted out again.
const page = JSON.parse(el("search-data").textContent);
const axes = Array.from({length: page.rank}, (_, i) => `p${i + 1}`);

/// Where rows, grids that differ in the last extent only, begin; fills `extents` and `processors` if grids are
/// counted out.
function enumerated(extents, processors) {
  const rows = [], at = new Array(page.rank).fill(1), last = page.rank - 1, ends = extents[last];
  let i = 0;
  const walk = (dim, left, product) => {
    if (dim < last) {
      for (let p = 1; p <= left; ++p) {
        at[dim] = p;
        walk(dim + 1, Math.floor(left / p), product * p);
      }
      return;
    }
    rows.push(i);
    for (let d = 0; d < last; ++d) extents[d].fill(at[d], i, i + left);
    for (let p = 1; p <= left; ++p, ++i) {
      ends[i] = p;
      processors[i] = product * p;
    }
  };
  walk(0, page.processors, 1);
  return rows;
}

/// The values of a channel: differences from the value before, or from what the row before lets expect.
function channel(bytes, offset, about, rows) {
  const count = page.count, values = new Int32Array(count), planar = about.predictor === "planar";
  for (let plane = 0; plane < about.bytes; ++plane) {
    const part = bytes.subarray(offset + plane * count, offset + (plane + 1) * count), shift = 8 * plane;
    for (let i = 0; i < count; ++i) values[i] |= part[i] << shift;
  }
  for (let row = 0; row < rows.length; ++row) {
    const begin = rows[row], end = row + 1 < rows.length ? rows[row + 1] : count;
    const above = row > 0 ? rows[row - 1] : 0, known = planar && row > 0 ? Math.min(end, begin + begin - above) : begin;
    let before = begin > 0 ? values[begin - 1] : 0;
    for (let i = begin, j = above; i < known; ++i, ++j) {
      const expected = i === begin ? values[j] : before + values[j] - values[j - 1];
      values[i] = before = expected + (values[i] >>> 1 ^ -(values[i] & 1)) | 0;
    }
    for (let i = known; i < end; ++i) values[i] = before = before + (values[i] >>> 1 ^ -(values[i] & 1)) | 0;
  }
  return values;
}

async function readGrids() {
  const [bytes, exactBytes] = await Promise.all([unpacked("search-values"), unpacked("search-exact")]);
  const count = page.count, extents = axes.map(() => new Int32Array(count));
  // Processors of the machine; a process has one for each of its threads.
  const processors = new Int32Array(count), time = new Float64Array(count), efficiency = new Float64Array(count);
  let threads = new Int32Array(count).fill(1);
  const rows = page.layout === "all" ? enumerated(extents, processors) : [0];
  const read = {};
  let offset = 0;
  for (const about of page.channels) {
    read[about.name] = channel(bytes, offset, about, rows);
    offset += about.bytes * count;
  }
  if (page.layout !== "all") {
    axes.forEach((name, d) => { extents[d] = read[name]; });
    threads = read.threads ?? threads;
    for (let i = 0; i < count; ++i) processors[i] = extents.reduce((product, extent) => product * extent[i], threads[i]);
  }
  const levels = read.time, productive = read.productive, highest = of => {
    let most = 0;
    for (let i = 0; i < count; ++i) if (of[i] > most) most = of[i];
    return most;
  };
  const powers = Float64Array.from({length: 1 + Math.max(highest(levels), highest(productive))},
    (_, level) => (1 + page.step) ** (level - 1));
  for (let i = 0; i < count; ++i) {
    time[i] = levels[i] > 0 ? page.least * powers[levels[i]] : NaN;
    if (productive[i] > 0 && levels[i] > 0)
      efficiency[i] = Math.min(1, page.productive * powers[productive[i]] / (processors[i] / threads[i] * time[i]));
  }
  const share = name => {
    const result = new Float32Array(count), levels = read[name];
    for (let i = 0; i < count; ++i) result[i] = levels[i] / page.shares;
    return result;
  };
  const grids = {count, extents, threads, processors, time, efficiency, empty: read.empty, exact: doubleColumns(exactBytes, page.exact),
    insufficient: share("insufficient_parallelism"), communication: share("communication"), idle: share("idle"),
    rankOf: new Map()};
  const exact = grids.exact;
  for (let k = 0; k < page.exact.count; ++k) {
    const i = exact.index[k], total = exact.total_time[k] || 1;
    grids.rankOf.set(i, k);
    time[i] = exact.execution_time[k];
    efficiency[i] = exact.efficiency[k];
    grids.insufficient[i] = exact.insufficient_parallelism[k] / total;
    grids.communication[i] = exact.communication[k] / total;
    grids.idle[i] = exact.idle[k] / total;
  }
  return grids;
}

/// Processes times seconds: what the parts of a grid's time are shares of.
const totalOf = (grids, i) => grids.time[i] * grids.processors[i] / grids.threads[i];

/// The number of a grid (its extents, then threads if there are several), -1 if the page has none.
function indexOf(grids, grid) {
  let low = 0, high = grids.count - 1;
  while (low <= high) {
    const middle = low + high >> 1;
    let order = 0;
    for (let d = 0; d < page.rank && order === 0; ++d) order = grids.extents[d][middle] - grid[d];
    if (page.threads && order === 0) order = grids.threads[middle] - grid[page.rank];
    if (order === 0) return isNaN(grids.time[middle]) ? -1 : middle;
    if (order < 0) low = middle + 1; else high = middle - 1;
  }
  return -1;
}

const gridNumbers = (grids, i) => [...grids.extents, ...(page.threads ? [grids.threads] : [])].map(numbers => numbers[i]);
const gridText = (grids, i) => grids.extents.map(extent => extent[i]).join("×") +
  (grids.threads[i] > 1 ? `, ${grids.threads[i]} threads` : "");
function gridLink(grids, i) {
  const link = node("a", {href: `#grid=${gridNumbers(grids, i).join("x")}`}, gridText(grids, i));
  link.dataset.grid = i;
  return link;
}

// Grids without a result after a search with bounds: open ones lie in boxes, failed ones are listed, all others are
// excluded.

async function readProof(grids) {
  const about = page.proof;
  if (!about) return null;
  const columns = doubleColumns(await unpacked("search-open"), about), ones = new Float64Array(about.count).fill(1);
  const first = d => columns[`first${d + 1}`] ?? ones, last = d => columns[`last${d + 1}`] ?? ones;
  const key = (p, q) => p * 4194304 + q;
  const inSlice = extent => state.fixed.every((value, d) => d < 2 || !(value > 0) || extent(d) === value);
  let known = new Set(), failed = new Set(), boxes = [], rest = 1, reach = null;
  const marked = runs => {
    const marks = new Uint8Array(about.processors + 1);
    for (const [from, to, step] of runs) for (let n = from; n <= to; n += step) marks[n] = 1;
    return marks;
  };
  // What the conditions admit: numbers of processors, extents.
  const numbers = about.numbers.length ? marked(about.numbers) : null, extents = about.extents.map(marked);
  const admits = (dim, extent) => dim >= extents.length || extents[dim][extent] === 1;

  /// For products of P1, P2 and fixed extents whether some extents of the others lead to an admitted number.
  function reached() {
    const found = new Uint8Array(about.processors + 1);
    let others = [1];
    for (let d = 2; d < page.rank; ++d) if (!(state.fixed[d] > 0))
      others = [...new Set(others.flatMap(k => d3.range(1, Math.floor(about.processors / k) + 1).filter(e => admits(d, e)).map(e => k * e)))];
    for (const k of others) for (let m = 1; m * k <= about.processors; ++m) found[m] |= numbers[m * k];
    return found;
  }

  /// What is on the map with the slice of now; `known` are the pairs of P1 and P2 with a result.
  function update() {
    known = new Set();
    for (let i = 0; i < grids.count; ++i)
      if (!isNaN(grids.time[i]) && inSlice(d => grids.extents[d][i]))
        known.add(key(grids.extents[0][i], page.rank > 1 ? grids.extents[1][i] : 1));
    failed = new Set(about.failed.filter(grid => inSlice(d => grid[d])).map(grid => key(grid[0], grid[1] ?? 1)));
    boxes = [];
    for (let b = 0; b < about.count; ++b)
      if (state.fixed.every((value, d) => d < 2 || !(value > 0) || (first(d)[b] <= value && value <= last(d)[b]))) boxes.push(b);
    rest = state.fixed.reduce((product, value, d) => product * (d > 1 && value > 0 ? value : 1), 1);
    reach = numbers && about.bounds ? reached() : null;
  }
  const candidate = (p, q) => p >= 1 && q >= 1 && (page.rank > 1 || q === 1) && p * q * rest <= about.processors &&
    [p, q].every((extent, d) => d >= page.rank || !(state.fixed[d] > 0) || state.fixed[d] === extent);

  /// False if the conditions exclude all grids with these extents, as far as the page can tell.
  const meets = (p, q) => about.bounds && (reach === null || (admits(0, p) && admits(1, q) && reach[p * q * rest] === 1 &&
    state.fixed.every((value, d) => d < 2 || !(value > 0) || admits(d, value))));

  /// The best bound of the open grids with these extents, undefined if none is open.
  function bound(p, q) {
    const better = page.objective === "efficiency" ? Math.max : Math.min;
    let found;
    for (const b of boxes)
      if (first(0)[b] <= p && p <= last(0)[b] && first(1)[b] <= q && q <= last(1)[b])
        found = found === undefined ? columns.bound[b] : better(found, columns.bound[b]);
    return found;
  }
  function describe(p, q) {
    if (!candidate(p, q) || (known.has(key(p, q)) && !failed.has(key(p, q)))) return "";
    const extents = [p, q, state.fixed[2] || "…", state.fixed[3] || "…"].slice(0, page.rank);
    const whole = extents.every(Number.isInteger), several = whole ? "" : "all of them ";
    const name = extents.join("×") + (whole ? `, ${extents.reduce((a, b) => a * b, 1)} processors` : "");
    if (failed.has(key(p, q))) return `${name}: failed, see below`;
    if (!meets(p, q)) return `${name}: ${several}excluded by the conditions`;
    const best = bound(p, q);
    if (best === undefined)
      return `${name}: ${several}excluded by a bound${about.ofProgram || (about.conditions && reach === null) ? " or by the conditions" : ", no better than the best grid"}`;
    const limit = isNaN(best) ? "nothing is known yet" : page.objective === "efficiency" ? `not above efficiency ${best.toFixed(4)}`
      : page.objective === "time" ? `not below ${seconds(best)}` : `not below a cost of ${best.toPrecision(4)}`;
    return `${name}: open when the search was stopped, ${limit}`;
  }

  const below = (sorted, value) => d3.bisectLeft(sorted, value), above = (sorted, value) => d3.bisectRight(sorted, value);
  /// Fills the empty places of `tints`, pixels whose extents are `ps` and, from the largest down, `qs`.
  function paint(tints, of, ps, qs, scale) {
    const columns = ps.length, rising = Array.from(qs).reverse(), grey = 0x60888888;
    const dotted = k => Math.floor(k % columns / scale) % 6 < 2 && Math.floor(k / columns / scale) % 6 < 2;
    const free = k => of[k] < 0 && candidate(ps[k % columns], qs[Math.floor(k / columns)]) &&
      !known.has(key(ps[k % columns], qs[Math.floor(k / columns)])) && !failed.has(key(ps[k % columns], qs[Math.floor(k / columns)]));
    for (let k = 0; k < of.length; ++k)
      if (free(k)) tints[k] = meets(ps[k % columns], qs[Math.floor(k / columns)]) ? grey : dotted(k) ? 0xff888888 : 0;
    for (const b of boxes) {
      const left = below(ps, first(0)[b]), right = above(ps, last(0)[b]);
      const top = qs.length - above(rising, last(1)[b]), bottom = qs.length - below(rising, first(1)[b]);
      for (let r = top; r < bottom; ++r)
        for (let c = left; c < right; ++c) {
          const k = r * columns + c;
          if (tints[k] === grey) tints[k] = (c + r) / scale % 8 < 3 ? 0xff912c6a : 0xffddb0c9;
        }
    }
  }
  return {update, candidate, describe, paint};
}

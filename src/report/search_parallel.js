// Grids as lines over parallel axes: extents, threads, processors, time, efficiency. Intervals on the axes choose grids, the
// others are grey.

function parallelAxes(grids, choose, kept) {
  const plot = el("parallel-plot"), told = el("parallel-text"), canvas = plot.querySelector("canvas");
  const svg = d3.select(plot).select("svg"), margin = {top: 42, right: 34, bottom: 20, left: 58}, most = 5000;
  const plain = value => value.toPrecision(4), all = [
    ...axes.map((name, d) => ({name, title: `P${d + 1}`, of: grids.extents[d], text: grouped})),
    {name: "threads", title: "threads", of: grids.threads, text: grouped, varies: true},
    {name: "processors", title: "processors", of: grids.processors, text: grouped, varies: true},
    {name: "time", title: "time", of: grids.time, text: shortSeconds},
    {name: "efficiency", title: "efficiency", of: grids.efficiency, text: plain, linear: true}];
  let shown = [], chosen = -1, drawn = [], width = 0, height = 0, context = null;

  const brushes = axis => state.brush.has(axis.name);
  /// The first and last of the values of an axis that its interval holds.
  function interval(axis) {
    const [low, high] = state.brush.get(axis.name) ?? [-Infinity, Infinity], last = axis.values.length - 1;
    return [Math.min(last, d3.bisectLeft(axis.values, low)), Math.max(0, d3.bisectRight(axis.values, high) - 1)];
  }
  /// An interval with all values is none.
  function setInterval(axis, low, high) {
    if (low > high) return;
    if (low === 0 && high === axis.values.length - 1) state.brush.delete(axis.name);
    else state.brush.set(axis.name, [axis.values[low], axis.values[high]]);
    kept();
    draw();
  }
  /// Evenly chosen ones of too many.
  const thinned = list => list.length <= most ? list : d3.range(most).map(k => list[Math.floor(k * list.length / most)]);

  function stroke(list, tint, wide, opacity) {
    [context.strokeStyle, context.lineWidth, context.globalAlpha] = [tint, wide, opacity];
    for (const i of list) {
      context.beginPath();
      for (const axis of drawn) context.lineTo(axis.at, axis.scale(axis.of[i]));
      context.stroke();
    }
  }
  function draw() {
    const used = drawn.filter(brushes).map(axis => [axis.of, ...state.brush.get(axis.name)]);
    const inside = [], outside = [];
    for (const i of shown)
      (used.every(([of, low, high]) => of[i] >= low && of[i] <= high) ? inside : outside).push(i);
    const [best] = firstOf(inside, ranking(grids), 1), [some, others] = [thinned(inside), thinned(outside)];
    const faint = list => Math.max(0.05, Math.min(0.8, 300 / list.length));
    context.clearRect(0, 0, width, height);
    stroke(others, colour("--edge"), 1, faint(others) / 3);
    stroke(some, colour("--good"), 1, faint(some));
    if (best !== undefined) stroke([best], colour("--poor"), 2.5, 1);
    if (chosen >= 0) stroke([chosen], "#c0399c", 2.5, 1);
    drawn.forEach(showInterval);
    tell(inside, best, some.length + others.length);
  }
  function tell(inside, best, lines) {
    const left = lines < shown.length ? ` Drawn are the lines of ${grouped(lines)} grids, evenly chosen.` : "";
    told.replaceChildren(`${grouped(inside.length)} of ${grouped(shown.length)} shown grids are in the intervals`);
    if (best === undefined) told.append(`.${left}`);
    else told.append("; the best of them: ", gridLink(grids, best), `, ${grouped(grids.processors[best])} processors, ` +
      `${seconds(grids.time[best])}, efficiency ${grids.efficiency[best].toFixed(4)}.${left}`);
  }
  function showInterval(axis) {
    const ends = interval(axis), places = ends.map(k => axis.scale(axis.values[k]));
    axis.band.attr("y", places[1] - 4).attr("height", places[0] - places[1] + 8).style("display", brushes(axis) ? null : "none");
    axis.grips.forEach((grip, k) => {
      const value = axis.values[ends[k]], [first, last] = [axis.values[0], axis.values[axis.values.length - 1]];
      grip.style.top = `${places[k] + (k ? -12 : 4)}px`;
      for (const [name, number] of [["min", first], ["max", last], ["now", value]]) grip.setAttribute(`aria-value${name}`, number);
      grip.setAttribute("aria-valuetext", axis.text(value));
    });
  }

  /// A handle at an end of the interval (0: least, 1: most) that keys move from value to value.
  function grip(axis, end) {
    const made = node("div", {className: "grip", tabIndex: 0});
    made.setAttribute("role", "slider");
    made.setAttribute("aria-orientation", "vertical");
    made.setAttribute("aria-label", `${axis.title}, ${end ? "most" : "least"}`);
    made.addEventListener("keydown", event => {
      const ends = interval(axis), last = axis.values.length - 1, page = Math.ceil(last / 10);
      const to = {ArrowUp: ends[end] + 1, ArrowRight: ends[end] + 1, ArrowDown: ends[end] - 1, ArrowLeft: ends[end] - 1,
        PageUp: ends[end] + page, PageDown: ends[end] - page, Home: 0, End: last}[event.key];
      if (to === undefined) return;
      ends[end] = end ? Math.max(ends[0], Math.min(last, to)) : Math.min(ends[1], Math.max(0, to));
      setInterval(axis, ...ends);
      event.preventDefault();
    });
    return made;
  }
  /// Drag an interval, or an end of one; a click ends it.
  function strip(axis) {
    const made = node("div", {className: "strip"}, ...axis.grips);
    let from = null, down = 0;
    const y = event => event.clientY - plot.getBoundingClientRect().top;
    made.addEventListener("pointerdown", event => {
      const [low, high] = interval(axis).map(k => axis.scale(axis.values[k]));
      down = y(event);
      from = Math.abs(down - high + 6) <= 8 ? low : Math.abs(down - low - 6) <= 8 ? high : down;
      made.setPointerCapture(event.pointerId);
    });
    made.addEventListener("pointermove", event => {
      if (from === null || Math.abs(y(event) - down) < 3) return;
      const [top, bottom] = [from, y(event)].sort((a, b) => a - b), value = at => axis.scale.invert(at);
      setInterval(axis, d3.bisectLeft(axis.values, value(bottom + 1)), d3.bisectRight(axis.values, value(top - 1)) - 1);
    });
    made.addEventListener("pointerup", event => {
      if (from !== null && Math.abs(y(event) - down) < 3) setInterval(axis, 0, axis.values.length - 1);
      from = null;
    });
    made.style.left = `${axis.at - 12}px`;
    return made;
  }

  /// Axes of the shown grids; numbers that are all the same have none.
  function layOut() {
    for (const axis of all) axis.values = Float64Array.from(new Set(Array.from(shown, i => axis.of[i]))).sort();
    drawn = shown.length ? all.filter(axis => !axis.varies || axis.values.length > 1) : [];
    svg.selectAll("*").remove();
    for (const each of plot.querySelectorAll(".strip")) each.remove();
    drawn.forEach((axis, k) => {
      axis.at = margin.left + k * (width - margin.left - margin.right) / (drawn.length - 1);
      axis.scale = (axis.linear ? d3.scaleLinear() : d3.scaleLog().base(axis.name === "time" ? 10 : 2))
        .domain(d3.extent(axis.values)).range([height - margin.bottom, margin.top]);
      const ticks = axis.values.length <= 6 ? Array.from(axis.values) : axis.name === "time" ? roundTicks(axis.scale.domain())
        : axis.scale.ticks(6);
      svg.append("g").attr("class", "axis").attr("transform", `translate(${axis.at},0)`)
        .call(d3.axisLeft(axis.scale).tickValues(ticks).tickFormat(axis.linear ? String : axis.text).tickSizeOuter(0))
        .selectAll("text").attr("class", "label");
      svg.append("text").attr("text-anchor", "middle").attr("x", axis.at)
        .attr("y", width < 75 * drawn.length && k % 2 ? 27 : 14).text(axis.title);
      axis.band = svg.append("rect").attr("class", "band").attr("x", axis.at - 8).attr("width", 16);
      axis.grips = [grip(axis, 0), grip(axis, 1)];
      plot.append(strip(axis));
    });
    draw();
  }
  function measure() {
    width = Math.max(280, Math.min(1060, plot.clientWidth));
    height = Math.round(Math.min(420, Math.max(280, width * 0.4)));
    svg.attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height);
    context = sizedContext(canvas, width, height);
  }
  el("parallel-all").addEventListener("click", () => { state.brush.clear(); kept(); draw(); });
  told.addEventListener("click", event => {
    const link = event.target.closest("a[data-grid]");
    if (!link) return;
    event.preventDefault();
    choose(Number(link.dataset.grid));
  });
  return {
    measure,
    update(found, grid) {
      const same = found === shown;
      [shown, chosen] = [found, grid];
      if (same) draw(); else layOut();
    },
    resize() { measure(); layOut(); }};
}

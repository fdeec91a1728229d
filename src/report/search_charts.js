// Time and efficiency against the number of processors: axes and lines in SVG, dots on a canvas under them.

/// Zoom by wheel only with Ctrl or where the focus is, so that a page can be scrolled past; by touch with two fingers.
function wantsZoom(event, target) {
  if (event.type === "wheel") return event.ctrlKey || document.activeElement === target;
  if (event.touches) return event.touches.length > 1;
  return !event.button && !event.ctrlKey;
}

/// The fastest and the most efficient of the shown grids for each number of processors, and, if every candidate was
/// evaluated, the Pareto front: grids that are faster than all with fewer processors.
function perProcessors(grids, shown) {
  const most = page.processors + 1, table = () => most < 5e6 ? new Int32Array(most).fill(-1) : new Map();
  const fastest = table(), efficient = table(), plain = most < 5e6;
  const get = plain ? (of, p) => of[p] : (of, p) => of.get(p) ?? -1;
  const put = plain ? (of, p, i) => { of[p] = i; } : (of, p, i) => { of.set(p, i); };
  for (const i of shown) {
    const p = grids.processors[i], a = get(fastest, p), b = get(efficient, p);
    if (a < 0 || grids.time[i] < grids.time[a]) put(fastest, p, i);
    if (b < 0 || grids.efficiency[i] > grids.efficiency[b]) put(efficient, p, i);
  }
  const listed = of => plain ? Array.from(of.filter(i => i >= 0))
    : Array.from(of.keys()).sort((a, b) => a - b).map(p => of.get(p));
  const result = {fastest: listed(fastest), efficient: listed(efficient), front: []};
  if (page.staircase) for (const i of result.fastest) {
    const last = result.front[result.front.length - 1];
    if (last === undefined || grids.time[i] < grids.time[last]) result.front.push(i);
  }
  return result;
}

function chart(name, grids, options) {
  const plot = el(`${name}-plot`), told = el(`${name}-text`), canvas = plot.querySelector("canvas");
  const svg = d3.select(plot).select("svg"), margin = {left: 64, right: 14, top: 14, bottom: 42};
  let width = 0, height = 0, points = [], per = null, chosen = -1, transform = d3.zoomIdentity, x = null, y = null;
  const baseX = d3.scaleLog().base(2), baseY = options.logarithmic ? d3.scaleLog() : d3.scaleLinear();
  const value = options.value, clip = `${name}-clip`;
  const axisX = svg.append("g").attr("class", "axis"), axisY = svg.append("g").attr("class", "axis");
  const frame = svg.append("clipPath").attr("id", clip).append("rect");
  const lines = svg.append("g").attr("clip-path", `url(#${clip})`);
  const title = svg.append("text").attr("text-anchor", "middle").text("processors");

  function resize() {
    width = Math.max(280, Math.min(1060, plot.clientWidth));
    height = Math.round(Math.min(420, Math.max(260, width * 0.5)));
    svg.attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height);
    sizedContext(canvas, width, height);
    baseX.range([margin.left, width - margin.right]);
    baseY.range([height - margin.bottom, margin.top]);
    frame.attr("x", margin.left).attr("y", margin.top - 8).attr("width", width - margin.left - margin.right)
      .attr("height", height - margin.top - margin.bottom + 8);
    title.attr("x", (margin.left + width) / 2).attr("y", height - 8);
    const box = [[margin.left, margin.top], [width - margin.right, height - margin.bottom]];
    zoom.extent(box).translateExtent(box);
  }

  function drawDots() {
    const context = canvas.getContext("2d"), taken = new Set();
    context.clearRect(0, 0, width, height);
    context.fillStyle = colour("--dots");
    const size = points.length > 2000 ? 2 : 5;
    for (const i of points) {
      const at = [x(grids.processors[i]), y(value(i))];
      if (at[0] < margin.left - 1 || at[0] > width - margin.right + 1 || at[1] < margin.top - 4 || at[1] > height - margin.bottom) continue;
      const pixel = Math.round(at[0]) * 8192 + Math.round(at[1]);
      if (taken.has(pixel)) continue;
      taken.add(pixel);
      context.fillRect(at[0] - size / 2, at[1] - size / 2, size, size);
    }
  }

  function steps() {
    const path = [];
    for (const i of per.front) {
      if (options.steps && path.length) path.push([x(grids.processors[i]), path[path.length - 1][1]]);
      path.push([x(grids.processors[i]), y(value(i))]);
    }
    return path;
  }

  function draw() {
    x = transform.rescaleX(baseX);
    y = transform.rescaleY(baseY);
    const few = Math.max(3, Math.floor(width / 80));
    axisX.attr("transform", `translate(0,${height - margin.bottom})`).call(d3.axisBottom(x).ticks(few, d3.format("d")));
    axisY.attr("transform", `translate(${margin.left},0)`).call(options.logarithmic
      ? d3.axisLeft(y).tickValues(roundTicks(y.domain())).tickFormat(shortSeconds)
      : d3.axisLeft(y).ticks(6));
    axisY.selectAll(".tick line").attr("x2", width - margin.left - margin.right).attr("class", "grid");
    lines.selectAll("*").remove();
    if (points.length) {
      drawDots();
      for (const line of options.lines(x, y)) {
        lines.append("path").attr("class", "ideal").attr("d", lineThrough(line.path));
        lines.append("text").attr("class", "tick label").attr("x", line.at[0]).attr("y", line.at[1])
          .text(line.name);
      }
      if (per.front.length) lines.append("path").attr("class", "curve").attr("d", lineThrough(steps()));
      options.marks().forEach(({i, name: label}, k) => {
        const [cx, cy] = [x(grids.processors[i]), y(value(i))];
        lines.append("circle").attr("class", "mark").attr("cx", cx).attr("cy", cy).attr("r", 4.5);
        const right = cx > width - 80;  // no room for the label on that side
        lines.append("text").attr("class", "label").attr("text-anchor", right ? "end" : "start")
          .attr("x", right ? cx - 6 : cx + 6).attr("y", cy - 8 - 13 * k).text(label);
      });
      for (const [i, style] of [[page.best, "best"], [chosen, "chosen"]])
        if (i >= 0) lines.append("circle").attr("class", style).attr("cx", x(grids.processors[i])).attr("cy", y(value(i))).attr("r", 7);
    }
    plot.dataset.domain = x.domain().map(value => value.toPrecision(6)).join();
  }

  const describe = i => `${grouped(grids.processors[i])} processors: ${gridText(grids, i)}, ${seconds(grids.time[i])}, ` +
    `efficiency ${grids.efficiency[i].toFixed(4)}`;
  function nearest(event) {
    const box = svg.node().getBoundingClientRect(), k = width / box.width;
    const [px, py] = [(event.clientX - box.left) * k, (event.clientY - box.top) * k];
    let best = -1, least = 30 * 30;
    for (const i of points) {
      const dx = x(grids.processors[i]) - px;
      if (dx * dx >= least) continue;
      const dy = y(value(i)) - py, distance = dx * dx + dy * dy;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }
  const summary = () => { told.textContent = points.length ? options.summary(per) : "No grid is shown."; };
  plot.addEventListener("pointermove", event => {
    const i = nearest(event);
    if (i < 0) { hideTip(); summary(); return; }
    told.textContent = describe(i);
    showTip(event, describe(i));
  });
  plot.addEventListener("pointerleave", () => { hideTip(); summary(); });
  plot.addEventListener("click", event => {
    const i = nearest(event);
    if (i >= 0) options.choose(i);
  });
  const zoom = d3.zoom().scaleExtent([1, 2000]).filter(event => wantsZoom(event && event.type ? event : d3.event, plot))
    .on("zoom", () => { transform = d3.zoomTransform(svg.node()); draw(); });
  plot.addEventListener("keydown", event => {
    const places = points.indexOf(chosen);
    const go = i => { if (i >= 0 && i < points.length) options.choose(points[i]); };
    const actions = {"+": () => svg.call(zoom.scaleBy, 2), "-": () => svg.call(zoom.scaleBy, 0.5),
      Home: () => svg.call(zoom.transform, d3.zoomIdentity), ArrowRight: () => go(places + 1),
      ArrowLeft: () => go(places < 0 ? points.length - 1 : places - 1)};
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
  });
  for (const [id, factor] of [["in", 2], ["out", 0.5], ["all", 0]])
    el(`${name}-${id}`).addEventListener("click", () => {
      if (factor > 0) svg.call(zoom.scaleBy, factor); else svg.call(zoom.transform, d3.zoomIdentity);
    });
  svg.call(zoom).on("dblclick.zoom", null);
  return {
    update(found, grid) {
      [per, chosen, points] = [found, grid, options.points(found)];
      const last = points.length ? grids.processors[points[points.length - 1]] : 2;
      baseX.domain([Math.max(0.8, (points.length ? grids.processors[points[0]] : 1) * 0.85), Math.max(2, last) * 1.15]);
      baseY.domain(options.domain(points));
      draw();
      summary();
    },
    resize() { resize(); draw(); }, measure: resize};
}

/// The front beside its table: the time on so few nodes or processors.
function frontChart() {
  const svg = d3.select("#front-chart");
  if (svg.empty()) return;
  svg.selectAll("*").remove();
  const by = svg.attr("data-by"), lines = page.front.filter(each => each.by === by).reverse()
    .filter((each, k, all) => k === 0 || each.number !== all[k - 1].number || each.time !== all[k - 1].time);
  const width = Math.max(280, svg.node().parentElement.clientWidth * 0.5), height = 250, low = height - 40, left = 64;
  svg.attr("viewBox", `0 0 ${width} ${height}`);
  const x = d3.scaleLog().base(2).domain([lines[0].number * 0.9, lines[lines.length - 1].number * 1.2]).range([left, width - 14]);
  const y = d3.scaleLinear().domain([0, lines[0].time * 1.1]).range([low, 12]);
  const ticks = [];  // numbers of the front, as far as there is room for them
  for (const {number} of [...lines].reverse())
    if (!ticks.length || x(ticks[ticks.length - 1]) - x(number) > 12 + 8 * String(number).length) ticks.push(number);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${low})`).call(d3.axisBottom(x).tickValues(ticks).tickFormat(grouped));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`)
    .call(d3.axisLeft(y).ticks(5).tickFormat(shortSeconds).tickSizeInner(left - width + 14));
  svg.append("text").attr("text-anchor", "middle").attr("x", (left + width) / 2).attr("y", height - 4).text(by);
  svg.append("path").attr("class", "curve").attr("d", lineThrough(lines.flatMap(({number, time}, k) =>
    [...(k > 0 ? [[x(number), y(lines[k - 1].time)]] : []), [x(number), y(time)]])));
  for (const {number, time, grid} of lines)
    svg.append("circle").attr("class", "mark").attr("cx", x(number)).attr("cy", y(time)).attr("r", 4.5)
      .append("title").text(`${grouped(number)} ${by}: ${grid.slice(0, page.rank).join("×")}, ${seconds(time)}`);
}

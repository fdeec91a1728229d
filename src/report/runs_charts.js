// Two charts of a data set: how often a result occurs, and the result over a number that varies. Axes, bars and lines are
// SVG, dots lie on a canvas under them.

function frameOf(name) {
  const plot = el(`${name}-plot`), svg = d3.select(plot).select("svg"), margin = {left: 66, right: 14, top: 12, bottom: 44};
  const axisX = svg.append("g").attr("class", "axis"), axisY = svg.append("g").attr("class", "axis"), inside = svg.append("g");
  const title = svg.append("text").attr("text-anchor", "middle");
  const frame = {plot, svg, margin, inside, width: 0, height: 0};
  frame.measure = (x, y) => {
    frame.width = Math.max(280, Math.min(1060, plot.clientWidth));
    frame.height = Math.round(Math.min(380, Math.max(240, frame.width * 0.45)));
    svg.attr("viewBox", `0 0 ${frame.width} ${frame.height}`).attr("width", frame.width).attr("height", frame.height);
    x.range([margin.left, frame.width - margin.right]);
    y.range([frame.height - margin.bottom, margin.top]);
  };
  frame.axes = (x, y, nameX, textX, textY) => {
    const {width, height} = frame;
    axisX.attr("transform", `translate(0,${height - margin.bottom})`)
      .call(d3.axisBottom(x).tickValues(ticksOf(x, Math.floor(width / 90))).tickFormat(textX));
    axisY.attr("transform", `translate(${margin.left},0)`).call(d3.axisLeft(y).tickValues(ticksOf(y, 6)).tickFormat(textY));
    axisY.selectAll(".tick line").attr("x2", width - margin.left - margin.right).attr("class", "grid");
    title.attr("x", (margin.left + width) / 2).attr("y", height - 8).text(titleOf(nameX));
  };
  frame.at = event => {
    const box = svg.node().getBoundingClientRect(), k = frame.width / box.width;
    return [(event.clientX - box.left) * k, (event.clientY - box.top) * k];
  };
  return frame;
}

/// Arrow keys move a mark from part to part, Enter and Escape act.
function onKeys(plot, move, actions) {
  plot.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) move(step); else if (actions[event.key]) actions[event.key](); else return;
    event.preventDefault();
  });
}

function distribution(columns, choose) {
  const frame = frameOf("spread"), {plot, inside, margin} = frame, told = el("spread-text"), bars = 40;
  let bins = [], mark = -1, x = null;
  const text = bin => `${grouped(bin.count)} of ${grouped(runs.count)} predictions (${percent(bin.count / runs.count)}) from ` +
    `${numberText(state.show, bin.from)} to ${numberText(state.show, bin.to)}`;
  function summary() {
    const values = Float64Array.from(columns[state.show]).sort(), q = share => numberText(state.show, d3.quantile(values, share));
    told.textContent = mark >= 0 ? text(bins[mark]) : `Least ${q(0)}, a tenth below ${q(0.1)}, median ${q(0.5)}, a tenth above ${q(0.9)}, most ${q(1)}.`;
  }
  function draw() {
    const values = columns[state.show], [least, most] = d3.extent(values);
    x = scaleOf(state.show, values);
    const y = d3.scaleLinear(), forward = x.base ? Math.log : value => value, back = x.base ? Math.exp : value => value;
    const from = forward(least), step = (forward(most) - from) / bars || 1, count = most > least ? bars : 1;
    bins = d3.range(count).map(k => ({from: k ? back(from + k * step) : least, to: k + 1 < count ? back(from + (k + 1) * step) : most, count: 0}));
    for (const value of values) ++bins[Math.max(0, Math.min(count - 1, Math.floor((forward(value) - from) / step)))].count;
    y.domain([0, d3.max(bins, bin => bin.count) * 1.05]);
    frame.measure(x, y);
    frame.axes(x, y, state.show, value => tickText(state.show, value), value => Number.isInteger(value) ? value : "");
    inside.selectAll("*").remove();
    bins.forEach((bin, k) => {
      const left = x(bin.from), wide = Math.max(2, x(bin.to) - left - 1), chosen = bin.from >= state.from && bin.to <= state.to;
      inside.append("rect").attr("class", k === mark ? "bar mark" : chosen && state.from > -Infinity ? "bar chosen" : "bar")
        .attr("x", left).attr("width", wide).attr("y", y(bin.count)).attr("height", y(0) - y(bin.count));
    });
    summary();
  }
  const under = event => {
    const [px, py] = frame.at(event), value = x.invert(px);
    return py < margin.top || py > frame.height - margin.bottom ? -1 : bins.findIndex(bin => value >= bin.from && value <= bin.to);
  };
  const take = k => {
    const again = bins[k].from === state.from && bins[k].to === state.to;
    if (again) choose(-Infinity, Infinity); else choose(bins[k].from, bins[k].to);
  };
  plot.addEventListener("pointermove", event => {
    const k = under(event);
    if (k < 0) { hideTip(); return summary(); }
    told.textContent = text(bins[k]);
    showTip(event, text(bins[k]));
  });
  plot.addEventListener("pointerleave", () => { hideTip(); summary(); });
  plot.addEventListener("click", event => { const k = under(event); if (k >= 0) take(k); });
  onKeys(plot, step => { mark = Math.max(0, Math.min(bins.length - 1, mark < 0 ? (step > 0 ? 0 : bins.length - 1) : mark + step)); draw(); },
    {Enter: () => { if (mark >= 0) take(mark); }, Escape: () => { mark = -1; choose(-Infinity, Infinity); }});
  return {draw, reset() { mark = -1; }};
}

function dependence(columns) {
  const frame = frameOf("over"), {plot, inside, margin} = frame, told = el("over-text"), canvas = plot.querySelector("canvas");
  let parts = [], mark = -1, chosen = [], x = null, y = null;
  const partText = part => `${part.from === part.to ? numberText(state.over, part.from)
    : `${numberText(state.over, part.from)} to ${numberText(state.over, part.to)}`}: ${grouped(part.count)} predictions, ` +
    `a tenth below ${numberText(state.show, part.low)}, median ${numberText(state.show, part.middle)}, a tenth above ${numberText(state.show, part.high)}`;
  function summary() {
    told.textContent = mark >= 0 && parts[mark] ? `${state.over} ${partText(parts[mark])}`
      : chosen.length ? "Line: the median. Band: from the tenth to the nine tenths." : "No prediction is in the chosen range.";
  }
  function drawDots() {
    const context = sizedContext(canvas, frame.width, frame.height);
    context.fillStyle = colour("--dots");
    const size = chosen.length > 2000 ? 2 : 4;
    for (const i of chosen) context.fillRect(x(columns[state.over][i]) - size / 2, y(columns[state.show][i]) - size / 2, size, size);
  }
  function draw() {
    inside.selectAll("*").remove();
    if (!state.over) return;
    x = scaleOf(state.over, columns[state.over]);
    y = scaleOf(state.show, chosen.length ? chosen.map(i => columns[state.show][i]) : columns[state.show]);
    parts = partsOf(columns, chosen, state.over);
    frame.measure(x, y);
    frame.axes(x, y, state.over, value => tickText(state.over, value), value => tickText(state.show, value));
    drawDots();
    inside.append("path").attr("class", "band").attr("d", lineThrough([...parts.map(part => [x(part.at), y(part.high)]),
      ...[...parts].reverse().map(part => [x(part.at), y(part.low)])]));
    inside.append("path").attr("class", "curve").attr("d", lineThrough(parts.map(part => [x(part.at), y(part.middle)])));
    for (const part of parts) inside.append("circle").attr("class", "mark").attr("cx", x(part.at)).attr("cy", y(part.middle)).attr("r", 3.5);
    if (mark >= 0 && parts[mark])
      inside.append("circle").attr("class", "chosen").attr("cx", x(parts[mark].at)).attr("cy", y(parts[mark].middle)).attr("r", 7);
    summary();
  }
  function nearest(event) {
    const [px, py] = frame.at(event);
    let best = -1, least = 30 * 30;
    for (const i of chosen) {
      const distance = (x(columns[state.over][i]) - px) ** 2 + (y(columns[state.show][i]) - py) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }
  plot.addEventListener("pointermove", event => {
    const i = nearest(event);
    if (i < 0) { hideTip(); return summary(); }
    told.textContent = runText(columns, i);
    showTip(event, told.textContent);
  });
  plot.addEventListener("pointerleave", () => { hideTip(); summary(); });
  onKeys(plot, step => { mark = Math.max(0, Math.min(parts.length - 1, mark < 0 ? (step > 0 ? 0 : parts.length - 1) : mark + step)); draw(); },
    {Escape: () => { mark = -1; draw(); }});
  return {update(found) { chosen = found; mark = -1; draw(); }, draw};
}

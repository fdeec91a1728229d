// Heat map over P1 and P2 on scales of powers of two. Cells are found from pixels, so that drawing costs pixels and
// not grids.

function heatMap(grids, proof, choose) {
  const canvas = el("heat"), context = canvas.getContext("2d"), told = el("heat-text");
  const margin = {left: 52, right: 12, top: 92, bottom: 40};
  let cells = new Map(), width = 0, height = 0, scale = 1, x = null, y = null, cursor = -1, spot = null, written = [], few = [];
  const font = "12px system-ui, sans-serif";
  const most = [0, 1].map(d => d >= page.rank ? 1 : proof ? page.proof.processors : page.layout === "all" ? page.processors
    : grids.extents[d].reduce((a, b) => Math.max(a, b), 1));
  const first = i => grids.extents[0][i], second = i => page.rank > 1 ? grids.extents[1][i] : 1;

  // One grid for each P1 and P2: the fastest of those that are shown.
  const rowsAt = new Float64Array(most[0] + 2), dense = most[0] * most[1] < 4e6 || page.layout === "all";
  let table = null;
  if (dense && page.layout === "all" && page.rank <= 2)
    for (let p = 1; p <= most[0]; ++p) rowsAt[p + 1] = rowsAt[p] + Math.floor(page.processors / p);
  else for (let p = 1; p <= most[0]; ++p) rowsAt[p + 1] = rowsAt[p] + most[1];
  const limited = dense && page.layout === "all" && page.rank <= 2;
  const slot = (p, q) => rowsAt[p] + q - 1;
  const cell = (p, q) => p < 1 || q < 1 || p > most[0] || q > (limited ? Math.floor(page.processors / p) : most[1]) ? -1
    : dense && table ? table[slot(p, q)] : cells.get(p * 4194304 + q) ?? -1;
  function fill(shown) {
    if (dense && rowsAt[most[0] + 1] < 16e6) {
      table = new Int32Array(rowsAt[most[0] + 1]).fill(-1);
      for (const i of shown) {
        const at = slot(first(i), second(i));
        if (table[at] < 0 || grids.time[i] < grids.time[table[at]]) table[at] = i;
      }
      return;
    }
    cells = new Map();
    for (const i of shown) {
      const at = first(i) * 4194304 + second(i), before = cells.get(at);
      if (before === undefined || grids.time[i] < grids.time[before]) cells.set(at, i);
    }
  }

  // The best is bright, the worst dark.
  const viridis = d3.scaleLinear().domain([0, 0.25, 0.5, 0.75, 1]).range(["#fde725", "#5ec962", "#21918c", "#3b528b", "#440154"]);
  const shades = d3.range(512).map(k => d3.rgb(viridis(k / 511))).map(({r, g, b}) => [r, g, b]);
  let fastest = 1;
  const share = name => ({of: i => grids[name][i], floor: -Infinity, text: v => [`${+(100 * v).toPrecision(3)} %`],
    title: () => `${el("metric").selectedOptions[0].text}, of the total time`});
  // What a colour means: its value, on a log scale not below `floor`, two decades below the largest if that is less.
  const kinds = {
    time: {of: i => grids.time[i] / fastest - 1, floor: 0.01, title: () => `Longer than ${seconds(fastest)} by (log scale)`,
      text: v => [`+${+(100 * v).toPrecision(2)} %`, shortSeconds(fastest * (1 + v))]},
    efficiency: {of: i => grids.efficiency[i], floor: 1e-4, falls: true, title: () => "Efficiency (log scale)", text: v => [`${+v.toPrecision(2)}`]},
    insufficient: share("insufficient"), communication: share("communication"), idle: share("idle")};
  let kind = kinds.time, low = 1, high = 1, least = 0;
  const along = value => {  // 0 at the low end of the scale, 1 at the high end
    const on = least > 0 ? Math.log : v => v;
    return high > low ? (on(Math.max(value, least)) - on(low)) / (on(high) - on(low)) : 0;
  };
  function shade(i) {
    const level = kind.falls ? 1 - along(kind.of(i)) : along(kind.of(i));
    return level > 0 ? Math.min(511, Math.round(511 * level)) : 0;
  }
  /// From the best to the worst of the grids on the map.
  function setScale(shown) {
    kind = kinds[state.metric];
    [low, high] = [Infinity, -Infinity];
    for (const i of shown) {
      const value = kind.of(i);
      if (cell(first(i), second(i)) !== i) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    least = Math.min(kind.floor, high / 100);
    low = Math.max(low, least);
  }
  const isoLevels = [0.9, 0.75, 0.5, 0.25, 0.1];
  const band = i => isoLevels.reduce((count, level) => count + (grids.efficiency[i] < level ? 1 : 0), 0);

  const baseX = d3.scaleLog().base(2).domain([0.6, most[0] * 1.2]), baseY = d3.scaleLog().base(2).domain([0.6, most[1] * 1.2]);
  let transform = d3.zoomIdentity;
  function measureSize() {
    scale = Math.min(2, Math.max(1, devicePixelRatio || 1));
    width = Math.max(260, Math.min(720, told.clientWidth));
    height = page.rank > 1 ? Math.round(Math.min(width, 560)) + 58 : 188;
    context.font = font;
    margin.left = Math.ceil(context.measureText(most[1]).width) + 16;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.dataset.plot = [margin.left, margin.top, width - margin.right, height - margin.bottom].join();
    baseX.range([margin.left, width - margin.right]);
    baseY.range([height - margin.bottom, margin.top]);
  }
  const extentAt = value => Math.max(1, Math.round(value));

  function cellsOfPixels(columns, rows) {
    const result = new Int32Array(columns * rows), ps = new Int32Array(columns), qs = new Int32Array(rows);
    for (let c = 0; c < columns; ++c) ps[c] = extentAt(x.invert(margin.left + (c + 0.5) / scale));
    for (let r = 0; r < rows; ++r) {
      const q = qs[r] = page.rank > 1 ? extentAt(y.invert(margin.top + (r + 0.5) / scale)) : 1;
      for (let c = 0; c < columns; ++c) result[r * columns + c] = cell(ps[c], q);
    }
    return {of: result, ps, qs};
  }

  function drawCells() {
    const columns = Math.round((width - margin.left - margin.right) * scale);
    const rows = Math.round((height - margin.top - margin.bottom) * scale);
    const image = context.createImageData(columns, rows), {of, ps, qs} = cellsOfPixels(columns, rows);
    const tints = new Uint32Array(image.data.buffer);
    const pack = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const packed = shades.map(pack), [black, white] = [pack([0, 0, 0]), pack([255, 255, 255])];
    for (let k = 0; k < of.length; ++k) {
      const i = of[k];
      if (i < 0) continue;
      tints[k] = packed[shade(i)];
      if (state.lines && k % columns > 0 && k >= columns) {
        const left = of[k - 1], up = of[k - columns];
        if ((left >= 0 && left !== i && band(left) !== band(i)) || (up >= 0 && up !== i && band(up) !== band(i)))
          tints[k] = shade(i) < 200 ? black : white;
      }
    }
    if (proof) proof.paint(tints, of, ps, qs, scale);
    context.putImageData(image, Math.round(margin.left * scale), Math.round(margin.top * scale));
  }

  /// Labels beside each other, as many as there is room for, none beyond the ends of the canvas.
  function labels(ticks, at, texts, top) {
    let free = 0;
    for (const tick of ticks) {
      const lines = texts(tick), wide = Math.max(...lines.map(text => context.measureText(text).width)) / 2;
      const middle = Math.max(wide, Math.min(width - wide, at(tick)));
      if (middle - wide < free) continue;
      lines.forEach((text, k) => context.fillText(text, middle, top + 14 * k));
      written.push([lines.join(", "), middle - wide, middle + wide, top]);
      free = middle + wide + 10;
    }
  }

  /// The colours with their values above the map.
  function drawLegend() {
    const left = margin.left, wide = width - margin.right - left;
    for (let k = 0; k < wide; ++k) {
      context.fillStyle = `rgb(${shades[Math.round(511 * (kind.falls ? wide - k : k) / wide)].join()})`;
      context.fillRect(left + k, 20, 1.5, 12);
    }
    context.fillStyle = colour("--fg");
    context.textAlign = "left";
    context.fillText(kind.title(), left, 12);
    context.textAlign = "center";
    const within = least > 0 ? roundTicks([low, high]) : d3.ticks(low, high, 6);
    labels(high > low && within.length > 1 ? within : [low], value => left + wide * along(value),
      value => kind.text(value).map((text, k) => value <= least && k === 0 ? `≤ ${text}` : text), 46);
  }

  function drawFrame() {
    written = [];
    context.fillStyle = colour("--fg");
    context.font = font;
    const powers = zoomed => {
      const [low, high] = zoomed.domain(), every = [];
      for (let power = Math.max(0, Math.ceil(Math.log2(low))); 2 ** power <= high; ++power) every.push(2 ** power);
      return every.length > 1 ? every : zoomed.ticks(4).filter(Number.isInteger);
    };
    context.textAlign = "center";
    labels(powers(x), x, tick => [String(tick)], height - margin.bottom + 16);
    context.fillText("P1", (margin.left + width - margin.right) / 2, height - 6);
    context.textAlign = "right";
    if (page.rank > 1) {
      const ticks = powers(y), step = Math.ceil(ticks.length * 18 / (height - margin.top - margin.bottom));
      for (const tick of ticks.filter((_, k) => k % step === 0)) context.fillText(tick, margin.left - 6, y(tick) + 4);
      context.fillText("P2", margin.left - 6, margin.top - 10);
    }
    if (low <= high) drawLegend();
    canvas.dataset.labels = JSON.stringify(written);
  }

  function ring(p, q, tint) {
    const at = [x(p), page.rank > 1 ? y(q) : (margin.top + height - margin.bottom) / 2];
    if (at[0] < margin.left || at[0] > width - margin.right || at[1] < margin.top - 1 || at[1] > height - margin.bottom + 1) return;
    for (const [line, style] of [[5, "#000"], [2.5, tint]]) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.beginPath();
      context.arc(...at, 7, 0, 7);
      context.stroke();
    }
  }

  function draw() {
    x = transform.rescaleX(baseX);
    y = transform.rescaleY(baseY);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    drawCells();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    for (const i of few) {  // their cells may be narrower than a pixel
      const at = [x(first(i)), page.rank > 1 ? y(second(i)) : (margin.top + height - margin.bottom) / 2];
      if (at[0] < margin.left || at[0] > width - margin.right || at[1] < margin.top || at[1] > height - margin.bottom) continue;
      context.fillStyle = `rgb(${shades[shade(i)].join()})`;
      context.fillRect(at[0] - 2.5, at[1] - 2.5, 5, 5);
    }
    drawFrame();
    if (page.best >= 0) ring(first(page.best), second(page.best), "#fff");
    if (spot) ring(...spot, "#ff8cff");
    else if (cursor >= 0 && cursor !== page.best) ring(first(cursor), second(cursor), "#ff8cff");
    canvas.dataset.domain = [...x.domain(), ...y.domain()].map(value => value.toPrecision(6)).join();
  }

  const describe = i => `${gridText(grids, i)}, ${grids.processors[i]} processors: ${seconds(grids.time[i])}, ` +
    `${percent(grids.time[i] / page.fastest - 1)} slower than the fastest, efficiency ${grids.efficiency[i].toFixed(4)}` +
    (grids.empty[i] ? ", leaves processors empty" : "");
  const textAt = (p, q) => cell(p, q) >= 0 ? describe(cell(p, q)) : proof ? proof.describe(p, q) : "";
  function tell(text) { told.textContent = text || "No grid is shown here."; }
  const tellCursor = () => tell(spot ? textAt(...spot) : cursor >= 0 ? describe(cursor) : "");
  function under(event) {
    const box = canvas.getBoundingClientRect(), k = width / box.width;
    const [px, py] = [(event.clientX - box.left) * k, (event.clientY - box.top) * k];
    if (px < margin.left || px > width - margin.right || py < margin.top || py > height - margin.bottom) return null;
    return [extentAt(x.invert(px)), page.rank > 1 ? extentAt(y.invert(py)) : 1];
  }
  canvas.addEventListener("pointermove", event => {
    const at = under(event);
    if (at === null) return hideTip();
    const text = textAt(...at);
    tell(text);
    if (text) showTip(event, text); else hideTip();
  });
  canvas.addEventListener("pointerleave", () => { hideTip(); tellCursor(); });
  canvas.addEventListener("click", event => {
    const at = under(event), i = at === null ? -1 : cell(...at);
    if (i >= 0) choose(i);
  });
  const zoom = d3.zoom().scaleExtent([1, 4000]).filter(event => wantsZoom(event && event.type ? event : d3.event, canvas))
    .on("zoom", () => { transform = d3.zoomTransform(canvas); draw(); });
  function nextCell(step) {
    const [dp, dq] = step;
    let [p, q] = cursor >= 0 ? [first(cursor), second(cursor)] : [1, 1];
    for (let tried = 0; tried < 4096; ++tried) {
      [p, q] = [p + dp, q + dq];
      const i = cell(p, q);
      if (i >= 0) return i;
      if (p < 1 || q < 1 || p > most[0] || q > most[1]) return cursor;
    }
    return cursor;
  }
  /// To the next place, with a grid that has a result or without.
  function stepTo([dp, dq]) {
    const [p, q] = spot ?? (cursor >= 0 ? [first(cursor), second(cursor)] : [1, 1]), next = [p + dp, q + dq];
    if (proof.candidate(...next)) spot = next;
    if (spot && cell(...spot) >= 0) cursor = cell(...spot);
  }
  canvas.addEventListener("keydown", event => {
    const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const selection = d3.select(canvas);
    const actions = {"+": () => selection.call(zoom.scaleBy, 2), "-": () => selection.call(zoom.scaleBy, 0.5),
      Home: () => selection.call(zoom.transform, d3.zoomIdentity), Enter: () => { if (cursor >= 0 && (!spot || cell(...spot) >= 0)) choose(cursor); }};
    if (steps[event.key]) {
      if (event.shiftKey && proof) stepTo(steps[event.key]);
      else {
        cursor = nextCell(steps[event.key]);
        spot = null;
      }
      tellCursor();
      draw();
    }
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  });
  for (const [id, factor] of [["heat-in", 2], ["heat-out", 0.5], ["heat-all", 0]])
    el(id).addEventListener("click", () => {
      const selection = d3.select(canvas);
      if (factor > 0) selection.call(zoom.scaleBy, factor); else selection.call(zoom.transform, d3.zoomIdentity);
    });
  function resize() {
    measureSize();
    zoom.extent([[margin.left, margin.top], [width - margin.right, height - margin.bottom]])
      .translateExtent([[margin.left, margin.top], [width - margin.right, height - margin.bottom]]);
  }
  d3.select(canvas).call(zoom).on("dblclick.zoom", null);
  return {
    measure: resize,
    update(shown, chosen) {
      fastest = page.fastest;
      fill(shown);
      setScale(shown);
      few = page.layout !== "all" && shown.length <= 1000 ? shown.filter(i => cell(first(i), second(i)) === i) : [];
      if (proof) proof.update();
      spot = null;
      cursor = chosen >= 0 ? chosen : cursor >= 0 ? cursor : page.best;
      draw();
      tellCursor();
    },
    resize() { resize(); draw(); }};
}

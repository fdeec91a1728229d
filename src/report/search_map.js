// Heat map over P1 and P2 on scales of powers of two. Cells are found from pixels, so that drawing costs pixels and
// not grids.

function heatMap(grids, proof, choose) {
  const canvas = el("heat"), context = canvas.getContext("2d"), told = el("heat-text");
  const margin = {left: 52, right: 12, top: 34, bottom: 40};
  let cells = new Map(), width = 0, height = 0, scale = 1, x = null, y = null, cursor = -1, spot = null;
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

  const stops = [[13, 42, 92], [0, 114, 178], [86, 180, 233], [178, 214, 190], [240, 228, 66], [240, 169, 26],
    [213, 94, 0], [127, 39, 4]];
  const shades = d3.range(512).map(k => {
    const at = Math.min(k / 511 * (stops.length - 1), stops.length - 1.0001), low = Math.floor(at);
    return stops[low].map((from, c) => Math.round(from + (stops[low + 1][c] - from) * (at - low)));
  });
  let fastest = 1;
  const doublings = 7;
  const measure = {
    time: i => Math.log2(grids.time[i] / fastest) / doublings, efficiency: i => 1 - grids.efficiency[i],
    insufficient: i => grids.insufficient[i], communication: i => grids.communication[i], idle: i => grids.idle[i]};
  const ends = {time: () => [seconds(fastest), `${seconds(fastest * 2 ** doublings)} or more`],
    efficiency: () => ["efficiency 1", "0"], insufficient: () => ["0 % of the total time", "100 %"],
    communication: () => ["0 % of the total time", "100 %"], idle: () => ["0 % of the total time", "100 %"]};
  const isoLevels = [0.9, 0.75, 0.5, 0.25, 0.1];
  const band = i => isoLevels.reduce((count, level) => count + (grids.efficiency[i] < level ? 1 : 0), 0);

  const baseX = d3.scaleLog().base(2).domain([0.6, most[0] * 1.2]), baseY = d3.scaleLog().base(2).domain([0.6, most[1] * 1.2]);
  let transform = d3.zoomIdentity;
  function measureSize() {
    scale = Math.min(2, Math.max(1, devicePixelRatio || 1));
    width = Math.max(260, Math.min(720, canvas.parentElement.clientWidth - 2));
    height = page.rank > 1 ? Math.round(Math.min(width, 560)) : 130;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
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
    const image = context.createImageData(columns, rows), {of, ps, qs} = cellsOfPixels(columns, rows), value = measure[state.metric];
    const tints = new Uint32Array(image.data.buffer);
    const pack = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const packed = shades.map(pack), line = pack([255, 255, 255]);
    for (let k = 0; k < of.length; ++k) {
      const i = of[k];
      if (i < 0) continue;
      const level = value(i);
      tints[k] = packed[level > 0 ? Math.min(511, Math.round(511 * level)) : 0];
      if (state.lines && k % columns > 0 && k >= columns) {
        const left = of[k - 1], up = of[k - columns];
        if ((left >= 0 && left !== i && band(left) !== band(i)) || (up >= 0 && up !== i && band(up) !== band(i))) tints[k] = line;
      }
    }
    if (proof) proof.paint(tints, of, ps, qs, scale);
    context.putImageData(image, Math.round(margin.left * scale), Math.round(margin.top * scale));
  }

  function drawFrame() {
    context.fillStyle = colour("--fg");
    context.font = "12px system-ui, sans-serif";
    const powers = (zoomed, room) => {
      const [low, high] = zoomed.domain(), every = [];
      for (let power = Math.max(0, Math.ceil(Math.log2(low))); 2 ** power <= high; ++power) every.push(2 ** power);
      const ticks = every.length > 1 ? every : zoomed.ticks(4).filter(Number.isInteger);
      return ticks.filter((_, k) => k % Math.ceil(ticks.length * 40 / room) === 0);
    };
    context.textAlign = "center";
    for (const tick of powers(x, width - margin.left - margin.right)) context.fillText(tick, x(tick), height - margin.bottom + 16);
    context.fillText("P1", (margin.left + width - margin.right) / 2, height - 6);
    context.textAlign = "right";
    if (page.rank > 1) {
      for (const tick of powers(y, height - margin.top - margin.bottom)) context.fillText(tick, margin.left - 6, y(tick) + 4);
      context.fillText("P2", margin.left - 6, margin.top - 12);
    }
    const [from, to] = ends[state.metric](), wide = Math.min(160, width / 3), left = margin.left + context.measureText(from).width + 6;
    context.textAlign = "left";
    context.fillText(from, margin.left, 16);
    for (let k = 0; k < wide; ++k) {
      context.fillStyle = `rgb(${shades[Math.round(511 * k / wide)].join()})`;
      context.fillRect(left + k, 6, 1.5, 12);
    }
    context.fillStyle = colour("--fg");
    context.fillText(to, left + wide + 6, 16);
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
      if (proof) proof.update();
      spot = null;
      cursor = chosen >= 0 ? chosen : cursor >= 0 ? cursor : page.best;
      draw();
      tellCursor();
    },
    resize() { resize(); draw(); }};
}

// What the scripts of several pages have in common.
const el = id => document.getElementById(id);

async function unpacked(id) {
  const text = el(id).textContent;
  const plain = atob(text), packed = new Uint8Array(plain.length);
  for (let i = 0; i < packed.length; ++i) packed[i] = plain.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Doubles in planes of bytes, one column after the other.
function doubleColumns(bytes, {count, names}) {
  const columns = {};
  names.forEach((name, c) => {
    const plain = new Uint8Array(8 * count);
    for (let plane = 0; plane < 8; ++plane)
      for (let i = 0; i < count; ++i) plain[8 * i + plane] = bytes[(8 * c + plane) * count + i];
    columns[name] = new Float64Array(plain.buffer);
  });
  return columns;
}

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
function seconds(value) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [unit, name] = units.find(([unit]) => value >= unit) || units[3];
  return Math.abs(value) < 1e-15 ? "0 s" : `${(value / unit).toPrecision(4)} ${name}`;
}
/// Without zeros at the end: for axes.
const shortSeconds = value => seconds(value).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const node = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function download(name, text, type = "text/csv") {
  const link = node("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// The context of a canvas that covers so many pixels of the page, in which it draws.
function sizedContext(canvas, width, height) {
  const scale = Math.min(2, Math.max(1, devicePixelRatio || 1)), context = canvas.getContext("2d");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

function showTip(event, text) {
  const tip = el("tip");
  tip.textContent = text;
  tip.hidden = false;
  const width = tip.offsetWidth, right = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(event.pageX + 14, right - width - 6))}px`;
  tip.style.top = `${event.pageY + 16}px`;
}
function hideTip() { el("tip").hidden = true; }

/// The path of a line through [x, y].
const lineThrough = points => points.length ? `M${points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}` : null;

/// Whole powers of ten, with their doubles and fivefolds if there are few.
function roundTicks([low, high]) {
  const decades = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const within = steps => decades.flatMap(decade => steps.map(k => Number((k * 10 ** decade).toPrecision(2))))
    .filter(tick => tick >= low && tick <= high);
  return [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]].map(within).find(ticks => ticks.length <= 8) ?? within([1]);
}

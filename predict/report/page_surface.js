// Surfaces over two logarithmic axes: a heat map, and in space; those of one quantity on one scale of colours.

// Lighter from step to step with every colour vision, and never as light or as dark as the paper.
const RAMP = ['#2b3f8c', '#366b6c', '#21918c', '#49b9a5', '#99c76e', '#f0dc30'].map(c => [1, 3, 5].map(k => parseInt(c.slice(k, k + 2), 16)));
const WIDE = 460, HIGH = 340, MAP = {left: 64, right: 92, top: 14, bottom: 46};
const START = {turn: 2.4, tilt: 0.6};

const surfaces = JSON.parse(document.getElementById('surface-data').textContent);
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const drawn = [];

function ink() {
  return getComputedStyle(document.documentElement).getPropertyValue('--ink') || '#222';
}

function formatNumber(value) {
  if (value >= 1e4 || value < 1e-2) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

function formatValue(surface, value) {
  if (!surface.isTime) return formatNumber(value);
  for (const [unit, scale] of [['s', 1], ['ms', 1e-3], ['us', 1e-6]])
    if (value >= scale || unit === 'us') return formatNumber(value / scale) + ' ' + unit;
}

// Surfaces with the same name of values share the range.
function rangeOf(surface) {
  let low = Infinity, high = 0;
  for (const other of surfaces) {
    if (other.valueName !== surface.valueName) continue;
    for (const value of other.value) if (value > 0) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return high > 0 ? {low, high} : {low: 1, high: 1};
}

function share(range, value) {
  return range.high > range.low ? Math.log(value / range.low) / Math.log(range.high / range.low) : 0.5;
}

function colour(part, shade = 1) {
  const at = Math.max(0, Math.min(1, part)) * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(at));
  return 'rgb(' + RAMP[k].map((c, j) => Math.round((c + (RAMP[k + 1][j] - c) * (at - k)) * shade)).join(',') + ')';
}

// Where cells end between logarithmic values, from 0 to 1.
function edges(values) {
  const logs = values.map(Math.log), n = logs.length;
  if (n === 1) return [0, 1];
  const inner = logs.slice(1).map((v, k) => (v + logs[k]) / 2);
  const all = [2 * logs[0] - inner[0], ...inner, 2 * logs[n - 1] - inner[n - 2]];
  return all.map(v => (v - all[0]) / (all[n] - all[0]));
}

function prepare(canvas) {
  const sharp = Math.min(3, window.devicePixelRatio || 1), pen = canvas.getContext('2d');
  canvas.width = WIDE * sharp;
  canvas.height = HIGH * sharp;
  canvas.style.aspectRatio = WIDE + ' / ' + HIGH;
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, WIDE, HIGH);
  pen.font = '12px sans-serif';
  pen.fillStyle = pen.strokeStyle = ink();
  return pen;
}

// At most so many of the values, the first and the last among them.
function chosen(values, most) {
  if (values.length <= most) return values.map((v, k) => k);
  return Array.from({length: most}, (_, k) => Math.round(k * (values.length - 1) / (most - 1)));
}

function drawMap(canvas, surface) {
  const pen = prepare(canvas), range = rangeOf(surface), xs = edges(surface.x), ys = edges(surface.y);
  const wide = WIDE - MAP.left - MAP.right, high = HIGH - MAP.top - MAP.bottom, columns = surface.x.length;
  const x = k => MAP.left + xs[k] * wide, y = k => MAP.top + high - ys[k] * high;
  for (let row = 0; row < surface.y.length; row++)
    for (let column = 0; column < columns; column++) {
      const value = surface.value[row * columns + column];
      if (!(value > 0)) continue;
      pen.fillStyle = colour(share(range, value));
      pen.fillRect(x(column), y(row + 1), x(column + 1) - x(column) + 0.6, y(row) - y(row + 1) + 0.6);
    }
  pen.fillStyle = ink();
  pen.textAlign = 'center';
  for (const k of chosen(surface.x, 7))
    pen.fillText(formatNumber(surface.x[k]), (x(k) + x(k + 1)) / 2, HIGH - MAP.bottom + 16);
  pen.fillText(surface.xName, MAP.left + wide / 2, HIGH - 10);
  pen.textAlign = 'right';
  for (const k of chosen(surface.y, 7))
    pen.fillText(formatNumber(surface.y[k]), MAP.left - 7, (y(k) + y(k + 1)) / 2 + 4);
  pen.save();
  pen.translate(14, MAP.top + high / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = 'center';
  pen.fillText(surface.yName, 0, 0);
  pen.restore();
  drawScale(pen, surface, range, high);
}

function drawScale(pen, surface, range, high) {
  const left = WIDE - MAP.right + 14, steps = 60;
  for (let k = 0; k < steps; k++) {
    pen.fillStyle = colour((k + 0.5) / steps);
    pen.fillRect(left, MAP.top + high * (1 - (k + 1) / steps), 12, high / steps + 0.6);
  }
  pen.fillStyle = ink();
  pen.textAlign = 'left';
  for (let k = 0; k <= 4; k++)
    pen.fillText(
        formatValue(surface, range.low * Math.pow(range.high / range.low, k / 4)), left + 17,
        MAP.top + high * (1 - k / 4) + 4);
}

// From the unit cube to the canvas, seen from above and aside.
function project(view, x, y, z) {
  const a = x - 0.5, b = y - 0.5, c = z - 0.5;
  const u = a * Math.cos(view.turn) - b * Math.sin(view.turn), v = a * Math.sin(view.turn) + b * Math.cos(view.turn);
  const scale = 215;
  return {
    x: WIDE / 2 + scale * u,
    y: HIGH / 2 - 6 - 0.72 * scale * c * Math.cos(view.tilt) + scale * v * Math.sin(view.tilt) * 0.9,
    depth: v * Math.cos(view.tilt) - c * Math.sin(view.tilt)
  };
}

function placeOf(values, k) {
  const first = Math.log(values[0]), last = Math.log(values[values.length - 1]);
  return last > first ? (Math.log(values[k]) - first) / (last - first) : 0.5;
}

// Cells between four points, the furthest first.
function cellsOf(surface, range, view) {
  const columns = surface.x.length, cells = [];
  const at = (row, column) => {
    const value = surface.value[row * columns + column];
    return value > 0 ? {part: share(range, value), ...project(view, placeOf(surface.x, column), placeOf(surface.y, row), share(range, value))} : null;
  };
  for (let row = 0; row + 1 < surface.y.length; row++)
    for (let column = 0; column + 1 < columns; column++) {
      const corner = [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
      if (corner.some(c => !c)) continue;
      cells.push({corner, depth: corner.reduce((sum, c) => sum + c.depth, 0), part: corner.reduce((sum, c) => sum + c.part, 0) / 4});
    }
  return cells.sort((a, b) => a.depth - b.depth);
}

function drawLabels(pen, surface, range, view) {
  pen.textAlign = 'center';
  const put = (text, x, y, z) => { const at = project(view, x, y, z); pen.fillText(text, at.x, at.y); };
  const near = Math.cos(view.turn) > 0 ? 1 : 0, side = Math.sin(view.turn) > 0 ? 1 : 0;
  const outside = (value, by) => value ? 1 + by : -by;
  for (const k of chosen(surface.x, 4)) put(formatNumber(surface.x[k]), placeOf(surface.x, k), outside(near, 0.1), 0);
  put(surface.xName, 0.5, outside(near, 0.34), 0);
  for (const k of chosen(surface.y, 4)) put(formatNumber(surface.y[k]), outside(side, 0.12), placeOf(surface.y, k), 0);
  put(surface.yName, outside(side, 0.38), 0.5, 0);
  for (const k of [0, 1]) put(formatValue(surface, k ? range.high : range.low), outside(1 - side, 0.1), outside(near, 0.05), k);
}

function drawFrame(pen, view) {
  const line = (a, b) => {
    const from = project(view, ...a), to = project(view, ...b);
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
  };
  pen.globalAlpha = 0.35;
  for (const k of [0, 1]) {
    line([k, 0, 0], [k, 1, 0]);
    line([0, k, 0], [1, k, 0]);
    for (const j of [0, 1]) line([k, j, 0], [k, j, 1]);
  }
  pen.globalAlpha = 1;
}

function drawSpace(canvas, surface, view) {
  const pen = prepare(canvas), range = rangeOf(surface);
  drawFrame(pen, view);
  const cells = cellsOf(surface, range, view);
  pen.lineWidth = 0.5;
  for (const cell of cells) {
    pen.beginPath();
    cell.corner.forEach((c, k) => k ? pen.lineTo(c.x, c.y) : pen.moveTo(c.x, c.y));
    pen.closePath();
    pen.fillStyle = colour(cell.part);
    pen.strokeStyle = colour(cell.part, 0.7);
    pen.fill();
    pen.stroke();
  }
  pen.fillStyle = ink();
  drawLabels(pen, surface, range, view);
}

// The cell under the pointer, as a text below the map.
function listenToMap(canvas, surface, said) {
  canvas.addEventListener('pointermove', event => {
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width * WIDE - MAP.left) / (WIDE - MAP.left - MAP.right);
    const y = 1 - ((event.clientY - box.top) / box.height * HIGH - MAP.top) / (HIGH - MAP.top - MAP.bottom);
    const column = edges(surface.x).findIndex(e => e > x) - 1, row = edges(surface.y).findIndex(e => e > y) - 1;
    const value = column >= 0 && row >= 0 ? surface.value[row * surface.x.length + column] : null;
    said.textContent = value > 0 ? surface.xName + ' ' + formatNumber(surface.x[column]) + ', ' + surface.yName + ' ' +
            formatNumber(surface.y[row]) + ': ' + formatValue(surface, value) :
                                   '\u00a0';
  });
}

function listenToSpace(canvas, view, redraw) {
  let from = null;
  canvas.addEventListener('pointerdown', event => {
    from = {x: event.clientX, y: event.clientY};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', () => { from = null; });
  canvas.addEventListener('pointermove', event => {
    if (!from) return;
    turn(view, (event.clientX - from.x) * 0.01, (event.clientY - from.y) * 0.01);
    from = {x: event.clientX, y: event.clientY};
    redraw();
  });
  canvas.addEventListener('dblclick', () => { Object.assign(view, START); redraw(); });
  canvas.addEventListener('keydown', event => {
    const step = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[event.key];
    if (!step) return;
    event.preventDefault();
    turn(view, ...step);
    redraw();
  });
}

function turn(view, aside, down) {
  view.turn += aside;
  view.tilt = Math.max(0, Math.min(Math.PI / 2, view.tilt + down));
}

function makeCanvas(label) {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  return canvas;
}

// View of all surfaces of one quantity: they turn together.
function showSurface(surface, holder, view) {
  const figure = document.createElement('figure'), caption = document.createElement('figcaption'),
        title = document.createElement('h3'), said = document.createElement('p'), paper = document.createElement('div');
  title.textContent = surface.title;
  caption.append(title);
  said.className = 'note';
  said.textContent = '\u00a0';
  paper.className = 'paper';
  const map = makeCanvas(surface.title + ': a heat map of ' + surface.valueName + ' over ' + surface.xName + ' and ' + surface.yName);
  const space = makeCanvas(surface.title + ': the same as a surface in space');
  space.tabIndex = 0;
  paper.append(map, space);
  figure.append(caption, paper, said);
  holder.append(figure);
  listenToMap(map, surface, said);
  listenToSpace(space, view, () => drawn.forEach(d => d.drawSpace()));
  drawn.push({drawMap: () => drawMap(map, surface), drawSpace: () => drawSpace(space, surface, view)});
}

function showSurfaces() {
  const all = document.getElementById('surfaces'), holders = new Map();
  for (const surface of surfaces) {
    if (!holders.has(surface.valueName)) {
      const holder = document.createElement('div');
      holder.className = 'pair';
      all.append(holder);
      holders.set(surface.valueName, {holder, view: {...START}});
    }
    const {holder, view} = holders.get(surface.valueName);
    showSurface(surface, holder, view);
  }
  const draw = () => drawn.forEach(d => { d.drawMap(); d.drawSpace(); });
  dark.addEventListener('change', draw);
  draw();
}

showSurfaces();
document.documentElement.dataset.ready = Math.round(performance.now());

// Charts that are not over time: speed-up, communication matrix, link load.

// ---- speed-up ----

const CURVE = {width: 560, height: 340, left: 52, right: 20, top: 16, bottom: 44};

// [processors, seconds, low, high, measured, in domain] as objects with
// speed-ups over the time on the fewest processors.
function speedUps(points) {
  // A run that costs nothing, as on a machine that only communicates, has no speed-up.
  const made = points.filter(p => p[1] > 0).map(([processors, seconds, low, high, measured,
                                                  inDomain]) => ({processors, seconds, low, high, measured, inDomain}));
  for (const of of [0, 1]) {
    const same = made.filter(p => p.measured === of).sort((a, b) => a.processors - b.processors);
    const base = same[0];
    for (const p of same) {
      p.speedUp = base.seconds * base.processors / p.seconds;
      p.slow = base.seconds * base.processors / (p.high || p.seconds);
      p.fast = base.seconds * base.processors / (p.low || p.seconds);
    }
  }
  return made;
}

function curveScales(points) {
  const most = Math.max(2, ...points.map(p => Math.max(p.processors, p.fast))),
        least = Math.min(1, ...points.map(p => p.slow));
  const mostX = Math.max(2, ...points.map(p => p.processors)), mostY = Math.min(most, mostX * 1.3);
  const x = p => CURVE.left + Math.log2(p) / Math.log2(mostX) * (CURVE.width - CURVE.left - CURVE.right);
  const low = Math.log2(least), span = Math.log2(mostY) - low;
  const y = s => CURVE.height - CURVE.bottom - (Math.log2(s) - low) / span * (CURVE.height - CURVE.top - CURVE.bottom);
  return {x, y, mostX, mostY, least};
}

function powersOfTwo(from, to, most) {
  const first = Math.ceil(Math.log2(from) - 1e-9), last = Math.floor(Math.log2(to) + 1e-9),
        step = Math.ceil((last - first + 1) / most);
  const made = [];
  for (let k = first; k <= last; k += step) made.push(Math.pow(2, k));
  return made;
}

function drawAxes(svg, scales) {
  for (const p of powersOfTwo(1, scales.mostX, 9)) {
    svg.append(shape(
        'line', {x1: scales.x(p), x2: scales.x(p), y1: CURVE.top, y2: CURVE.height - CURVE.bottom, class: 'grid'}));
    svg.append(
        shape('text', {x: scales.x(p), y: CURVE.height - CURVE.bottom + 18, 'text-anchor': 'middle'}, formatCount(p)));
  }
  for (const s of powersOfTwo(scales.least, scales.mostY, 8)) {
    svg.append(shape(
        'line', {x1: CURVE.left, x2: CURVE.width - CURVE.right, y1: scales.y(s), y2: scales.y(s), class: 'grid'}));
    svg.append(shape(
        'text', {x: CURVE.left - 8, y: scales.y(s) + 4, 'text-anchor': 'end'}, s < 1 ? String(s) : formatCount(s)));
  }
  svg.append(shape(
      'text', {x: (CURVE.left + CURVE.width - CURVE.right) / 2, y: CURVE.height - 6, 'text-anchor': 'middle'},
      'processors'));
  svg.append(shape(
      'text',
      {x: -(CURVE.top + CURVE.height - CURVE.bottom) / 2, y: 13, transform: 'rotate(-90)', 'text-anchor': 'middle'},
      'speed-up'));
}

function drawCurve(svg, scales, points) {
  const predicted = points.filter(p => !p.measured).sort((a, b) => a.processors - b.processors);
  const clip = s => Math.max(CURVE.top, Math.min(CURVE.height - CURVE.bottom, scales.y(s)));
  const path = (list, of) => list.map(p => scales.x(p.processors).toFixed(1) + ',' + clip(of(p)).toFixed(1)).join(' ');
  const top = Math.min(scales.mostX, scales.mostY);
  svg.append(shape('line', {x1: scales.x(1), y1: scales.y(1), x2: scales.x(top), y2: scales.y(top), class: 'ideal'}));
  if (predicted.some(p => p.high > p.low))
    svg.append(shape(
        'polygon',
        {points: path(predicted, p => p.fast) + ' ' + path([...predicted].reverse(), p => p.slow), class: 'band'}));
  svg.append(shape('polyline', {points: path(predicted, p => p.speedUp), class: 'curve'}));
  for (const p of points) {
    const mark = p.measured ?
        shape(
            'rect',
            {x: scales.x(p.processors) - 4.5, y: clip(p.speedUp) - 4.5, width: 9, height: 9, class: 'measured'}) :
        shape('circle', {
          cx: scales.x(p.processors),
          cy: clip(p.speedUp),
          r: 4,
          class: p.inDomain ? 'predicted' : 'predicted outside'
        });
    mark.append(shape(
        'title', {},
        formatCount(p.processors) + ' processors: ' + formatTime(p.seconds * 1e9) + ', speed-up ' +
            formatNumber(p.speedUp)));
    svg.append(mark);
  }
}

function showScaling(points) {
  const section = byId('scaling');
  const list = speedUps(points);
  if (!list.length) return section.remove();
  const scales = curveScales(list);
  const best = list.filter(p => !p.measured).sort((a, b) => a.seconds - b.seconds)[0] || list[0];
  const svg = shape(
      'svg', {viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, role: 'img', 'aria-label': 'Speed-up over processors'});
  drawAxes(svg, scales);
  drawCurve(svg, scales, list);
  byId('curve').append(svg);
  const keys = {predicted: p => !p.measured, band: p => !p.measured && p.high > p.low, measured: p => p.measured};
  for (const key in keys) section.querySelector('.mark.' + key).parentElement.hidden = !list.some(keys[key]);
  const base = Math.min(...list.map(p => p.processors)), outside = list.some(p => !p.measured && !p.inDomain);
  byId('curve-text').textContent = 'Shortest at ' + plural(best.processors, 'processor') + ': ' +
      formatTime(best.seconds * 1e9) + ', speed-up ' + formatNumber(best.speedUp) +
      (base > 1 ? ', counted from ' + base + ' processors as ' + base : '') + '.' +
      (outside ? ' Outside (hollow): beyond the range that the costs were measured in.' : '');
  const body = byId('curve-table').tBodies[0];
  for (const p of list.sort((a, b) => a.processors - b.processors || b.measured - a.measured))
    body.append(element(
        'tr', element('td.n', formatCount(p.processors)), element('td', p.measured ? 'measured' : 'predicted'),
        element('td.n', formatTime(p.seconds * 1e9)),
        element('td.n', p.high > p.low ? formatRange(p.low * 1e9, p.high * 1e9) : NONE),
        element('td.n', formatNumber(p.speedUp)), element('td.n', formatShare(p.speedUp / p.processors)),
        element('td.outside', p.measured || p.inDomain ? '' : 'outside')));
}

// ---- communication matrix ----

const MATRIX_CELLS = 128;

function matrixOf(run) {
  const per = Math.ceil(run.lanes / MATRIX_CELLS), size = Math.ceil(run.lanes / per);
  const bytes = new Float64Array(size * size), messages = new Float64Array(size * size);
  for (let k = 0; k < run.count; k++) {
    if (run.kind[k] !== KIND.SEND) continue;
    const cell = Math.floor(run.lane[k] / per) * size + Math.floor(run.peer[k] / per);
    bytes[cell] += run.amount[k];
    messages[cell]++;
  }
  return {run, per, size, bytes, messages};
}

const matrices = {what: 'bytes', list: []};

function ramp(share) {
  const [low, high] = theme().ramp.map(rgb);
  return 'rgb(' + low.map((c, k) => Math.round(c + (high[k] - c) * share)).join(',') + ')';
}

// Logarithmic from the least to the most of both runs.
function shareOfRange(value, range) {
  if (value <= 0) return 0;
  return range.most > range.least ? 0.12 + 0.88 * Math.log(value / range.least) / Math.log(range.most / range.least) :
                                    1;
}

function matrixRange() {
  let least = Infinity, most = 0;
  for (const matrix of matrices.list)
    for (const value of matrix[matrices.what]) if (value > 0) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  return {least: most ? least : 0, most};
}

function laneGroup(matrix, group) {
  const first = group * matrix.per, last = Math.min(matrix.run.lanes, first + matrix.per) - 1;
  return first === last ? String(first) : first + '\u2009\u2026\u2009' + last;
}

class Matrix {
  constructor(figure, matrix) {
    Object.assign(this, {matrix, seen: true, stale: true, canvas: figure.querySelector('canvas')});
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute(
        'aria-label',
        'Communication matrix, ' + matrix.run.title + ': rows send, columns receive. Arrows move the cursor.');
    this.canvas.addEventListener('pointermove', pointer => this.point(pointer));
    this.canvas.addEventListener('pointerleave', hideTip);
    this.canvas.addEventListener('keydown', key => this.press(key));
    this.canvas.addEventListener('blur', () => { this.cursor = null; this.draw(); hideTip(); });
    charts.push(this);
  }

  draw() {
    const {matrix} = this, {size} = matrix, wide = view.printing ? 360 : this.canvas.parentElement.clientWidth,
          left = 46, top = 34;
    const sharp = view.printing ? 2.5 : Math.min(3, window.devicePixelRatio || 1), canvas = this.canvas;
    // Whole pixels of the screen, so that cells have the same size.
    const cell = Math.max(1, Math.floor(Math.min(40, (Math.min(480, wide) - left - 8) / size) * sharp) / sharp),
          side = cell * size;
    this.box = {left, top, cell};
    canvas.width = Math.round((left + side + 8) * sharp);
    canvas.height = Math.round((top + side + 8) * sharp);
    canvas.style.width = left + side + 8 + 'px';
    canvas.style.aspectRatio = canvas.width + ' / ' + canvas.height;
    const pen = canvas.getContext('2d');
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.paintCells(pen);
    this.paintLabels(pen);
  }

  paintCells(pen) {
    const {left, top, cell} = this.box, {size} = this.matrix, range = matrixRange(), gap = cell > 6 ? 1 : 0;
    pen.fillStyle = theme().box;
    pen.fillRect(left - 1, top - 1, cell * size + 2, cell * size + 2);
    for (let from = 0; from < size; from++)
      for (let to = 0; to < size; to++) {
        const value = this.matrix[matrices.what][from * size + to];
        pen.fillStyle = value > 0 ? ramp(shareOfRange(value, range)) : theme().paper;
        pen.fillRect(left + to * cell, top + from * cell, cell - gap, cell - gap);
      }
    if (!this.cursor) return;
    pen.strokeStyle = theme().ink;
    pen.lineWidth = 2;
    pen.strokeRect(left + this.cursor[1] * cell - 1, top + this.cursor[0] * cell - 1, cell + 1, cell + 1);
  }

  paintLabels(pen) {
    const {left, top, cell} = this.box, {size, per} = this.matrix, step = cell >= 18 ? 1 : wholeStep(34 / cell);
    pen.font = SMALL;
    pen.fillStyle = theme().soft;
    pen.textBaseline = 'middle';
    for (let k = 0; k < size; k += step) {
      pen.textAlign = 'right';
      pen.fillText(formatCount(k * per), left - 6, top + (k + 0.5) * cell);
      pen.textAlign = 'center';
      pen.fillText(formatCount(k * per), left + (k + 0.5) * cell, top - 9);
    }
    pen.textAlign = 'left';
    pen.fillText('to', left, 7);
    pen.save();
    pen.translate(8, top);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = 'right';
    pen.fillText('from', 0, 0);
    pen.restore();
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect(), {left, top, cell} = this.box, {size} = this.matrix;
    const to = Math.floor((pointer.clientX - box.left - left) / cell),
          from = Math.floor((pointer.clientY - box.top - top) / cell);
    if (from < 0 || to < 0 || from >= size || to >= size) return hideTip();
    this.tell(from, to, pointer.clientX, pointer.clientY);
  }

  tell(from, to, x, y) {
    const {matrix} = this, at = from * matrix.size + to;
    showTip(x, y, laneGroup(matrix, from) + ' \u2192 ' + laneGroup(matrix, to), matrix.run.title,
      [['messages', formatCount(matrix.messages[at])], ['bytes', formatBytes(matrix.bytes[at])]]);
  }

  press(key) {
    const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [
                    -1e9, -1e9
                  ]}[key.key];
    if (!move) return;
    key.preventDefault();
    const inside = v => Math.max(0, Math.min(this.matrix.size - 1, v)), before = this.cursor || [0, 0];
    this.cursor =
        this.cursor || key.key === 'Home' ? [inside(before[0] + move[0]), inside(before[1] + move[1])] : before;
    this.draw();
    const box = this.canvas.getBoundingClientRect(), {left, top, cell} = this.box, [from, to] = this.cursor;
    this.tell(from, to, box.left + left + (to + 1) * cell, box.top + top + (from + 1) * cell);
    byId('said').textContent = tip().textContent;
  }
}

function paintRamp() {
  const range = matrixRange(), format = matrices.what === 'bytes' ? formatBytes : formatCount;
  byId('ramp').style.background = 'linear-gradient(90deg,' + ramp(0.12) + ',' + ramp(1) + ')';
  byId('ramp-low').textContent = format(range.least);
  byId('ramp-high').textContent = format(range.most);
}

function showMatrices(runs) {
  const section = byId('matrix'), holder = byId('matrices');
  matrices.list = runs.map(matrixOf);
  if (matrices.list.every(m => m.messages.every(v => v === 0))) {
    section.replaceChildren(
        element('h2', 'Communication matrix'),
        element(
            'p.none', runs.every(r => r.lanes === 1) ? 'One processor sends no messages.' : 'No messages were sent.'));
    return;
  }
  for (const matrix of matrices.list) {
    const figure = element(
        'figure',
        element(
            'figcaption', element('strong', matrix.run.title),
            matrix.per > 1 ? ', ' + matrix.per + ' processors per cell' : ''),
        element('canvas'));
    holder.append(figure);
    new Matrix(figure, matrix);
  }
  for (const choice of section.querySelectorAll('input[name=matrix-what]'))
    choice.addEventListener('change', () => {
      matrices.what = choice.value;
      paintRamp();
      renew(...charts.filter(chart => chart.matrix));
    });
  paintRamp();
}

// ---- link load ----

const SHOWN_LINKS = 15;

class Topology {
  constructor(figure, run) {
    Object.assign(this, {
      run,
      seen: true,
      stale: true,
      canvas: figure.querySelector('canvas'),
      most: Math.max(...run.facts.links.map(l => l[8]))
    });
    this.canvas.addEventListener('pointermove', pointer => this.point(pointer));
    this.canvas.addEventListener('pointerleave', hideTip);
    charts.push(this);
  }

  links() {
    return this.run.facts.links;
  }

  // Where nodes may be.
  places() {
    const links = this.links();
    return {xs: links.flatMap(l => [l[2], l[4]]), ys: links.flatMap(l => [l[3], l[5]])};
  }

  draw() {
    const links = this.links(), {xs, ys} = this.places(),
          wide = view.printing ? 420 : Math.min(560, this.canvas.parentElement.clientWidth);
    const low = values => values.reduce((a, b) => Math.min(a, b)),
          high = values => values.reduce((a, b) => Math.max(a, b));
    const [x0, x1, y0, y1] = [low(xs), high(xs), low(ys), high(ys)], margin = 26;
    const scale = Math.min((wide - 2 * margin) / Math.max(1e-9, x1 - x0), 380 / Math.max(1e-9, y1 - y0));
    const tall = Math.max(40, (y1 - y0) * scale) + 2 * margin,
          sharp = view.printing ? 2.5 : Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(wide * sharp);
    this.canvas.height = Math.round(tall * sharp);
    this.canvas.style.width = wide + 'px';
    this.canvas.style.aspectRatio = wide + ' / ' + tall;
    const pen = this.canvas.getContext('2d'), shift = (wide - (x1 - x0) * scale) / 2;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.shortest = 0;
    const place = (x, y) => [shift + (x - x0) * scale, tall / 2 + (y - (y0 + y1) / 2) * scale];
    this.lines = links.map(link => this.lineOf(link, place));
    this.paint(pen, scale, place);
  }

  lineOf(link, place) {
    const [ax, ay] = place(link[2], link[3]), [bx, by] = place(link[4], link[5]);
    return {link, ax, ay, bx, by};
  }

  shareOf(line) {
    return this.most > 0 ? line.link[8] / this.most : 0;
  }

  // The busiest links, which come first in the file, on top.
  order() {
    return [...this.lines].reverse();
  }

  paint(pen, scale, place) {
    const step = Math.max(2, Math.min(9, scale / 6));
    for (const line of this.order()) {
      const share = Math.min(1, this.shareOf(line));
      pen.strokeStyle = share > 0 ? ramp(0.12 + 0.88 * share) : theme().grid;
      pen.lineWidth = 1 + share * (step - 1);
      pen.globalAlpha = this.lines.length > 200 && this.isLong(line) ? 0.3 : 1;
      pen.beginPath();
      this.trace(pen, line, step);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    this.paintNodes(pen, step, place);
  }

  paintNodes(pen, step) {
    pen.fillStyle = theme().ink;
    const seen = new Set();
    for (const {ax, ay, bx, by} of this.lines)
      for (const [x, y] of [[ax, ay], [bx, by]]) {
        const key = x.toFixed(0) + ',' + y.toFixed(0);
        if (seen.has(key)) continue;
        seen.add(key);
        pen.beginPath();
        pen.arc(x, y, Math.max(1.2, step / 2.4), 0, 7);
        pen.fill();
      }
  }

  // The two directions of a link lie beside each other; long ones bend around what is between.
  trace(pen, line, step) {
    const {ax, ay, bx, by} = line, length = Math.hypot(bx - ax, by - ay) || 1;
    const bend = (this.isLong(line) ? 0.12 * length : 0) + step * 0.6;
    const nx = -(by - ay) / length * bend, ny = (bx - ax) / length * bend;
    line.cx = (ax + bx) / 2 + nx;
    line.cy = (ay + by) / 2 + ny;
    pen.moveTo(ax, ay);
    pen.quadraticCurveTo(line.cx, line.cy, bx, by);
  }

  // Those that close the rings of a torus, say.
  isLong(line) {
    return Math.hypot(line.bx - line.ax, line.by - line.ay) > 3 * this.unit();
  }

  // The shortest link.
  unit() {
    this.shortest ||=
        this.lines.reduce((least, l) => Math.min(least, Math.hypot(l.bx - l.ax, l.by - l.ay) || Infinity), Infinity);
    return this.shortest;
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect(), x = pointer.clientX - box.left, y = pointer.clientY - box.top;
    let best = null, least = 8;
    for (const line of this.lines)
      for (let t = 0.1; t < 0.95; t += 0.1) {
        const px = (1 - t) * (1 - t) * line.ax + 2 * t * (1 - t) * line.cx + t * t * line.bx;
        const py = (1 - t) * (1 - t) * line.ay + 2 * t * (1 - t) * line.cy + t * t * line.by,
              distance = Math.hypot(px - x, py - y);
        if (distance < least) {
          least = distance;
          best = line.link;
        }
      }
    if (!best) return hideTip();
    showTip(pointer.clientX, pointer.clientY, best[0] + ' \u2192 ' + best[1], '', this.told(best));
  }

  told(link) {
    return linkLines(this.run, link);
  }
}

function linkLines(run, link) {
  return [
    ['busy', formatTime(link[8] * 1e9) + ' (' + formatShare(link[8] * 1e9 / run.end) + ')'],
    ['messages', formatCount(link[6])], ['bytes', formatBytes(link[7])]
  ];
}

function linkTable(run) {
  const body = element('tbody'), links = run.facts.links;
  const head = element(
      'tr', element('th', 'from'), element('th', 'to'), element('th.n', 'busy'), element('th.n', 'of the run'),
      element('th.n', 'messages'), element('th.n', 'bytes'));
  const fill = count => body.replaceChildren(...links.slice(0, count).map(
      l => element(
          'tr', element('td.name', l[0]), element('td.name', l[1]), element('td.n', formatTime(l[8] * 1e9)),
          element('td.n', formatShare(l[8] * 1e9 / run.end)), element('td.n', formatCount(l[6])),
          element('td.n', formatBytes(l[7])))));
  fill(SHOWN_LINKS);
  const more = element('button', 'All ' + formatCount(links.length) + ' links');
  more.type = 'button';
  more.addEventListener('click', () => {
    fill(links.length);
    more.remove();
  });
  const left = run.facts.linkCount - links.length,
        note = left > 0 ?
      element('p.note', plural(left, 'less busy link is', 'less busy links are') + ' not in this file.') :
      null;
  return element(
      'div.scroll', element('table', element('thead', head), body), links.length > SHOWN_LINKS ? more : null, note);
}

function showLinks(runs) {
  const section = byId('links'), busy = runs.filter(run => run.facts.links.length);
  if (!busy.length) return section.remove();
  for (const run of busy) {
    const placed = run.facts.links.some(l => l.slice(2, 6).some(v => v !== 0));
    const figure = element(
        'figure',
        element(
            'figcaption', element('strong', run.title),
            ': ' + plural(run.facts.linkCount, 'link') + ', the busiest busy for ' +
                formatShare(run.facts.links[0][8] * 1e9 / Math.max(1, run.end)) + ' of the run'));
    if (placed) {
      const canvas = element('canvas');
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', 'Links of the network by load; the table holds the same.');
      figure.append(canvas);
    }
    byId('link-figures').append(element('div.pair', figure, linkTable(run)));
    if (placed) new Topology(figure, run);
  }
}

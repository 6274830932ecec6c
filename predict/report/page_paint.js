// What all charts over time are painted with: the frame around panels, the axis, rows of states.

const LEFT = 76, RIGHT = 14, HEAD = 22, AXIS = 30, PANEL_GAP = 14;
const FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const SMALL = FONT.replace('12px', '11px'), BOLD = '600 ' + FONT;

function rgb(colour) {
  return [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
}

// Black or white, whichever is easier to read on a colour (relative luminance of WCAG 2).
function inkOn(colour) {
  const [r, g, b] =
      rgb(colour).map(c => c / 255 <= 0.04045 ? c / 255 / 12.92 : Math.pow((c / 255 + 0.055) / 1.055, 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

// A canvas of the wanted height, as sharp as the screen, cleared.
function prepareCanvas(canvas, height) {
  const width = view.printing ? 760 : Math.max(320, canvas.parentElement.clientWidth);
  const sharp = view.printing ? 2.5 : Math.min(3, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
    canvas.width = Math.round(width * sharp);
    canvas.height = Math.round(height * sharp);
    canvas.style.aspectRatio = width + ' / ' + height;
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.fillStyle = theme().paper;
  pen.fillRect(0, 0, width, height);
  pen.font = FONT;
  pen.textBaseline = 'middle';
  return {pen, width, height, sharp};
}

// Text that is cut to fit.
function fitText(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + '\u2026').width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? text.slice(0, low) + '\u2026' : '';
}

function runTitle(run) {
  return run.title + '\u2002\u00b7\u2002' + run.facts.machine + '\u2002\u00b7\u2002' + plural(run.lanes, 'processor');
}

function paintTitle(page, run, y) {
  const {pen} = page;
  pen.textAlign = 'left';
  pen.font = BOLD;
  pen.fillStyle = theme().ink;
  pen.fillText(run.title, LEFT, y);
  const used = pen.measureText(run.title).width + 10, rest = runTitle(run).slice(run.title.length + 3);
  pen.font = FONT;
  pen.fillStyle = theme().soft;
  pen.fillText(fitText(pen, rest, page.width - LEFT - RIGHT - used), LEFT + used, y);
}

// ---- time ----

function plotWidth(page) {
  return page.width - LEFT - RIGHT;
}

function xOf(page, axisTime) {
  return LEFT + (axisTime - view.from) / (view.to - view.from) * plotWidth(page);
}

function timeAt(width, x) {
  return view.from + (x - LEFT) / (width - LEFT - RIGHT) * (view.to - view.from);
}

function timeTicks(page) {
  const span = view.to - view.from, most = Math.max(2, plotWidth(page) / 110);
  if (view.own) {
    const step = niceStep(100 * span / report.longest / most),
          digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return ticksBetween(100 * view.from / report.longest, 100 * view.to / report.longest, step)
      .map(t => ({time: t * report.longest / 100, text: t === 0 ? '0' : t.toFixed(digits) + '\u00a0%'}));
  }
  const [name, size] = timeUnit(Math.max(view.to * 0.999, 1)), step = niceStep(span / size / most);
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return ticksBetween(view.from / size, view.to / size, step)
    .map(t => ({time: t * size, text: t === 0 ? '0' : t.toFixed(digits) + '\u00a0' + name}));
}

function ticksBetween(from, to, step) {
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-12); k++) ticks.push(k * step);
  return ticks;
}

function paintGrid(page, y, height) {
  const {pen} = page;
  pen.fillStyle = theme().grid;
  for (const tick of timeTicks(page)) pen.fillRect(Math.round(xOf(page, tick.time)), y, 1, height);
}

function paintAxis(page, y) {
  const {pen} = page;
  pen.font = SMALL;
  pen.fillStyle = theme().soft;
  pen.textAlign = 'center';
  for (const tick of timeTicks(page)) {
    const x = xOf(page, tick.time), half = pen.measureText(tick.text).width / 2;
    pen.fillRect(Math.round(x), y, 1, 5);
    pen.fillText(tick.text, Math.min(page.width - half - 2, Math.max(half + 2, x)), y + 14);
  }
}

// ---- rows of lanes ----

// Which lanes stand in which row: one each where that gives at least `least` pixels, groups otherwise.
function laneRows(run, height, least = 2) {
  const first = view.lane0 * run.lanes, last = view.lane1 * run.lanes, one = height / (last - first);
  const lane0 = Math.floor(first + 1e-9), lane1 = Math.min(run.lanes, Math.max(lane0 + 1, Math.ceil(last - 1e-9)));
  const per = one >= least ? 1 : Math.ceil(least / one), lanes = [];
  for (let lane = lane0; lane < lane1; lane += per) lanes.push(lane);
  lanes.push(lane1);
  return {lanes, per, rowHeight: one * per, offset: (lane0 - first) * one};
}

function paintLaneLabels(page, run, y, height, rows) {
  const {pen} = page, one = rows.rowHeight / rows.per;
  pen.font = SMALL;
  pen.textAlign = 'right';
  pen.fillStyle = theme().soft;
  const step = one >= 14 ? 1 : wholeStep(16 / one), top = y + rows.offset, first = rows.lanes[0];
  for (let lane = Math.ceil(first / step) * step; lane < rows.lanes[rows.lanes.length - 1]; lane += step) {
    const at = top + (lane - first + 0.5) * one;
    if (at >= y && at <= y + height)
      pen.fillText(formatCount(lane), LEFT - 8, Math.max(y + 5, Math.min(y + height - 4, at)));
  }
  pen.save();
  pen.translate(13, y + height / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = 'center';
  if (height >= 70) pen.fillText('processor', 0, 0);
  pen.restore();
}

const scratch = document.createElement('canvas');

// States of the rows from pixel to pixel, mixed by their shares where a pixel holds several.
function paintShares(page, shares, rows, columns, y, height, rowHeight) {
  const image = new ImageData(columns, rows), states = theme().states.map(rgb), size = LEAF_STATES * columns;
  for (let row = 0; row < rows; row++)
    for (let x = 0; x < columns; x++) {
      let r = 0, g = 0, b = 0, all = 0;
      for (let s = 0, at = row * size + x; s < LEAF_STATES; s++, at += columns) {
        const share = shares[at];
        if (share === 0) continue;
        r += share * states[s][0];
        g += share * states[s][1];
        b += share * states[s][2];
        all += share;
      }
      if (all === 0) continue;
      const to = (row * columns + x) * 4;
      image.data[to] = r / all;
      image.data[to + 1] = g / all;
      image.data[to + 2] = b / all;
      image.data[to + 3] = Math.min(1, all) * 255;
    }
  scratch.width = columns;
  scratch.height = rows;
  scratch.getContext('2d').putImageData(image, 0, 0);
  page.pen.imageSmoothingEnabled = false;
  page.pen.drawImage(scratch, LEFT, y, plotWidth(page), rows * rowHeight);
}

// Lanes of a run between y and y + height; returns where the rows are.
function paintRows(page, run, y, height) {
  const {pen} = page, rows = laneRows(run, height), stretch = stretchOf(run), colours = theme();
  const columns = Math.max(1, Math.round(plotWidth(page) * Math.min(2, page.sharp)));
  const {sum, exact} = rowShares(run, rows.lanes, view.from / stretch, view.to / stretch, columns);
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, y, plotWidth(page), height);
  pen.clip();
  pen.fillStyle = colours.states[IDLE];
  const end = Math.min(page.width - RIGHT, xOf(page, run.end * stretch));
  if (end > LEFT) pen.fillRect(LEFT, y, end - LEFT, height);
  paintShares(page, sum, rows.lanes.length - 1, columns, y + rows.offset, height, rows.rowHeight);
  if (exact && rows.per === 1 && rows.rowHeight >= 7) paintBoxes(page, run, y, rows);
  pen.fillStyle = colours.paper;
  if (rows.rowHeight >= 6)
    for (let row = 1; row < rows.lanes.length - 1; row++)
      pen.fillRect(
          LEFT, Math.round(y + rows.offset + row * rows.rowHeight) - 1, plotWidth(page), rows.rowHeight > 14 ? 2 : 1);
  pen.restore();
  return rows;
}

// Edges and names of the events that are wide enough for them.
function paintBoxes(page, run, y, rows) {
  const {pen} = page, stretch = stretchOf(run), from = view.from / stretch, to = view.to / stretch, colours = theme();
  const scale = plotWidth(page) / (to - from);
  pen.font = SMALL;
  pen.textAlign = 'left';
  for (let row = 0; row < rows.lanes.length - 1; row++) {
    const [first, last] = visibleLeaves(run, rows.lanes[row], from, to), top = y + rows.offset + row * rows.rowHeight;
    for (let k = first; k < last; k++) {
      const x = LEFT + (run.leafBegin[k] - from) * scale, width = (run.leafEnd[k] - run.leafBegin[k]) * scale;
      if (width < 5) continue;
      pen.fillStyle = colours.paper;
      if (x > LEFT) pen.fillRect(x - 0.5, top, 1, rows.rowHeight);
      if (width < 34 || rows.rowHeight < 15) continue;
      const left = Math.max(x, LEFT), room = Math.min(x + width, page.width - RIGHT) - left - 8;
      const text = room > 20 ? fitText(pen, boxText(run, run.leaf[k]), room) : '';
      pen.fillStyle = inkOn(colours.states[run.leafState[k]]);
      pen.fillText(text, left + 5, top + rows.rowHeight / 2);
    }
  }
}

function boxText(run, event) {
  const kind = run.kind[event];
  if (kind === KIND.SEND) return '\u2192\u2009' + run.peer[event];
  if (kind === KIND.RECEIVE) return '\u2190\u2009' + run.peer[event];
  return kind === KIND.WAIT ? 'wait' : eventName(run, event);
}

// The selected event and its match, outlined twice so that it shows on every colour.
function paintOutline(page, x, y, width, height, primary) {
  const {pen} = page, colours = theme(), wide = Math.max(4, width), left = x - (wide - width) / 2;
  pen.lineWidth = primary ? 5 : 4;
  pen.strokeStyle = colours.paper;
  pen.strokeRect(left, y, wide, height);
  pen.lineWidth = primary ? 2.5 : 2;
  pen.setLineDash(primary ? [] : [4, 2]);
  pen.strokeStyle = colours.ink;
  pen.strokeRect(left, y, wide, height);
  pen.setLineDash([]);
  pen.fillStyle = colours.ink;
  pen.beginPath();
  pen.moveTo(left + wide / 2, y - 2);
  pen.lineTo(left + wide / 2 - 5, y - 9);
  pen.lineTo(left + wide / 2 + 5, y - 9);
  pen.fill();
}

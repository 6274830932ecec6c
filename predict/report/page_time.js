// The charts over time: Gantt, space-time, utilisation, traffic. Each paints all runs above each other on one axis.

const STRIP_ROW = 15, MOST_DEPTHS = 3, MOST_LINES = 3000;

// A chart has a canvas, panels {run, y, height, ..} from its layout, paints them, and says what is at a point.
class TimeChart {
  constructor(canvas) {
    this.canvas = canvas;
    this.panels = [];
    this.seen = this.overTime = true;
    charts.push(this);
  }

  draw() {
    const height = this.layout();
    this.page = prepareCanvas(this.canvas, height);
    for (const panel of this.panels) {
      paintTitle(this.page, panel.run, panel.y - this.headOf(panel) + HEAD / 2 - 2);
      this.paint(panel);
    }
    paintAxis(this.page, height - AXIS + 2);
  }

  headOf() {
    return HEAD;
  }

  layout() {
    let y = 0;
    this.panels = report.runs.map(run => {
      const panel = {run, height: this.heightOf(run)};
      panel.y = y + this.headOf(panel);
      y = panel.y + panel.height + PANEL_GAP;
      return panel;
    });
    return y - PANEL_GAP + AXIS;
  }

  panelAt(y) {
    return this.panels.find(p => y >= p.y - this.headOf(p) && y < p.y + p.height + PANEL_GAP / 2) || null;
  }

  // The time of the panel's run at x.
  timeIn(panel, x) {
    return timeAt(this.page.width, x) / stretchOf(panel.run);
  }

  laneAt(panel, y) {
    const share = view.lane0 + (y - panel.y) / panel.height * (view.lane1 - view.lane0);
    return Math.max(0, Math.min(panel.run.lanes - 1, Math.floor(share * panel.run.lanes)));
  }

  // The middle of a lane, also outside of what is seen.
  laneMiddle(panel, lane) {
    const share = ((lane + 0.5) / panel.run.lanes - view.lane0) / (view.lane1 - view.lane0);
    return panel.y + share * panel.height;
  }

  eventAt() {
    return -1;
  }
}

function rowsHeight(run, each, most) {
  return Math.min(most, Math.max(24, each * run.lanes));
}

// ---- Gantt ----

class Gantt extends TimeChart {
  showsEvents = true;

  heightOf(run) {
    return rowsHeight(run, 22, report.runs.length > 1 ? 300 : 440);
  }

  headOf(panel) {
    return HEAD + this.depthsOf(panel.run) * STRIP_ROW + 4;
  }

  depthsOf(run) {
    return Math.min(MOST_DEPTHS, containersOf(run, this.stripLane(run)).length);
  }

  // Regions and calls are shown for the selected processor, or the first one that is seen.
  stripLane(run) {
    const picked = chosen().find(c => c.run === run);
    return picked ? run.lane[picked.event] : Math.min(run.lanes - 1, Math.floor(view.lane0 * run.lanes + 1e-9));
  }

  paint(panel) {
    const {run, y, height} = panel;
    this.paintStrip(panel);
    const rows = paintRows(this.page, run, y, height);
    paintLaneLabels(this.page, run, y, height, rows);
    if (!run.leaf.length) this.paintNothing(panel);
    chosen().forEach((c, k) => {
      if (c.run === run) this.outline(panel, c.event, k === 0);
    });
  }

  paintNothing({y, height}) {
    const {pen} = this.page;
    pen.textAlign = 'center';
    pen.font = FONT;
    pen.fillStyle = theme().soft;
    pen.fillText('no events', LEFT + plotWidth(this.page) / 2, y + height / 2);
  }

  outline(panel, event, primary) {
    const {run} = panel, stretch = stretchOf(run), x = xOf(this.page, run.begin[event] * stretch);
    const width = Math.max(0, xOf(this.page, (run.begin[event] + run.duration[event]) * stretch) - x);
    if (x > this.page.width - RIGHT + 2 || x + width < LEFT - 2) return;
    const left = Math.max(LEFT, x), right = Math.min(this.page.width - RIGHT, x + width);
    const one = panel.height / ((view.lane1 - view.lane0) * run.lanes),
          middle = this.laneMiddle(panel, run.lane[event]);
    const depth = run.kind[event] <= KIND.SKELETON ? this.depthOf(run, event) : -1;
    if (depth >= 0) paintOutline(this.page, left, this.stripTop(panel, depth), right - left, STRIP_ROW - 2, primary);
    if (middle > panel.y - one / 2 && middle < panel.y + panel.height + one / 2)
      paintOutline(this.page, left, middle - one / 2, right - left, Math.max(3, one - 1), primary);
  }

  depthOf(run, event) {
    return containersOf(run, run.lane[event]).slice(0, MOST_DEPTHS).findIndex(depth => depth.includes(event));
  }

  stripTop(panel, depth) {
    return panel.y - 4 - (this.depthsOf(panel.run) - depth) * STRIP_ROW;
  }

  paintStrip(panel) {
    const {run} = panel, depths = containersOf(run, this.stripLane(run));
    for (let d = 0; d < this.depthsOf(run); d++) this.paintDepth(run, depths[d], this.stripTop(panel, d));
    if (!depths.length) return;
    const {pen} = this.page;
    pen.font = SMALL;
    pen.textAlign = 'right';
    pen.fillStyle = theme().soft;
    pen.fillText(
        run.lanes > 1 ? 'calls on ' + this.stripLane(run) : 'calls', LEFT - 8, this.stripTop(panel, 0) + STRIP_ROW / 2);
  }

  paintDepth(run, events, y) {
    const {pen} = this.page, stretch = stretchOf(run), colours = theme(), limit = this.page.width - RIGHT;
    const [first, last] = visibleContainers(run, events, view.from / stretch, view.to / stretch);
    pen.font = SMALL;
    pen.textAlign = 'left';
    let painted = LEFT;
    for (let k = first; k < last; k++) {
      const from = Math.max(LEFT, xOf(this.page, run.begin[events[k]] * stretch));
      const to = Math.min(limit, xOf(this.page, (run.begin[events[k]] + run.duration[events[k]]) * stretch));
      if (to < painted + 0.5) {
        if (last - first > 4000) k = Math.max(k, this.skipTo(run, events, painted + 0.5, k, last) - 1);
        continue;
      }
      pen.fillStyle = colours.strip[k % 2];
      pen.fillRect(from, y, Math.max(0.6, to - from - (to - from > 4 ? 1 : 0)), STRIP_ROW - 2);
      painted = to;
      if (to - from < 30) continue;
      pen.fillStyle = colours.ink;
      pen.fillText(fitText(pen, nodeName(run, run.node[events[k]]), to - from - 8), from + 4, y + STRIP_ROW / 2 - 0.5);
    }
  }

  // The first container that ends right of x.
  skipTo(run, events, x, low, high) {
    const time = timeAt(this.page.width, x) / stretchOf(run);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.begin[events[middle]] + run.duration[events[middle]] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  eventAt(panel, x, y) {
    const {run} = panel, time = this.timeIn(panel, x);
    if (x < LEFT || x > this.page.width - RIGHT) return -1;
    if (y >= panel.y) return y < panel.y + panel.height ? this.leafNear(run, this.laneAt(panel, y), time) : -1;
    const depth = Math.floor((y - this.stripTop(panel, 0)) / STRIP_ROW);
    const events = depth >= 0 ? containersOf(run, this.stripLane(run))[depth] : null;
    if (!events || depth >= this.depthsOf(run)) return -1;
    const [first, last] = visibleContainers(run, events, time, time);
    return first < last ? events[first] : -1;
  }

  // The leaf under the pointer, or one within three pixels of it.
  leafNear(run, lane, time) {
    const event = leafAt(run, lane, time), reach = 3 * (view.to - view.from) / plotWidth(this.page) / stretchOf(run);
    if (event < 0) return -1;
    const before = run.begin[event] - time, behind = time - run.begin[event] - run.duration[event];
    return before > reach || behind > reach ? -1 : event;
  }
}

function visibleContainers(run, events, from, to) {
  let low = 0, high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.begin[events[middle]] + run.duration[events[middle]] >= from) high = middle;
    else low = middle + 1;
  }
  const first = low;
  for (high = events.length; low < high;) {
    const middle = (low + high) >> 1;
    if (run.begin[events[middle]] > to) high = middle;
    else low = middle + 1;
  }
  return [first, low];
}

// ---- space-time ----

class SpaceTime extends TimeChart {
  showsEvents = true;

  heightOf(run) {
    return rowsHeight(run, 26, report.runs.length > 1 ? 280 : 420);
  }

  paint(panel) {
    const {run, y, height} = panel, {pen} = this.page;
    const rows = laneRows(run, height);
    paintGrid(this.page, y, height);
    paintLaneLabels(this.page, run, y, height, rows);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, y, plotWidth(this.page), height);
    pen.clip();
    if (rows.rowHeight >= 8) this.paintLanes(panel, rows);
    const every = this.paintMessages(panel);
    pen.restore();
    this.paintNote(panel, every);
  }

  // A thin bar of states in the middle of every lane.
  paintLanes(panel, rows) {
    const {run, y} = panel, stretch = stretchOf(run), columns = Math.round(plotWidth(this.page));
    const {sum} = rowShares(run, rows.lanes, view.from / stretch, view.to / stretch, columns),
          size = LEAF_STATES * columns;
    const thick = Math.min(5, Math.max(2, rows.rowHeight / 4)), {pen} = this.page;
    const end = Math.min(plotWidth(this.page), xOf(this.page, run.end * stretch) - LEFT);
    for (let row = 0; row < rows.lanes.length - 1; row++) {
      const middle = y + rows.offset + (row + 0.5) * rows.rowHeight;
      pen.fillStyle = theme().grid;
      pen.fillRect(LEFT, middle - 0.5, end, 1);
      paintShares(this.page, sum.subarray(row * size, (row + 1) * size), 1, columns, middle - thick / 2, thick, thick);
    }
  }

  paintMessages(panel) {
    const {run} = panel, {pen} = this.page, stretch = stretchOf(run);
    const {every, messages} = visibleMessages(run, view.from / stretch, view.to / stretch, MOST_LINES);
    const picked = new Set(chosen()
                               .filter(c => c.run === run)
                               .map(c => run.kind[c.event] === KIND.RECEIVE ? run.partner[c.event] : c.event));
    pen.lineWidth = messages.length > 1500 ? 0.6 : 1;
    pen.globalAlpha = messages.length > 1500 ? 0.35 : messages.length > 300 ? 0.55 : 0.85;
    panel.lines = [];
    const classes = sizes.on ? sizes.limits.length : 1;
    for (let c = 0; c < classes; c++) {
      pen.strokeStyle = classColour(c);
      pen.beginPath();
      for (const message of messages)
        if (messageClass(run, message) === c) this.traceMessage(panel, message, stretch);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    for (const send of picked)
      if (send >= 0 && run.kind[send] === KIND.SEND && run.partner[send] >= 0) this.paintPicked(panel, send, stretch);
    return every;
  }

  ends(panel, send, stretch) {
    const {run} = panel, receive = run.partner[send];
    return [
      xOf(this.page, run.begin[send] * stretch), this.laneMiddle(panel, run.lane[send]),
      xOf(this.page, (run.begin[receive] + run.duration[receive]) * stretch), this.laneMiddle(panel, run.lane[receive])
    ];
  }

  traceMessage(panel, message, stretch) {
    const send = panel.run.messageSend[message], [x0, y0, x1, y1] = this.ends(panel, send, stretch);
    if (Math.max(y0, y1) < panel.y || Math.min(y0, y1) > panel.y + panel.height) return;
    this.page.pen.moveTo(x0, y0);
    this.page.pen.lineTo(x1, y1);
    panel.lines.push({send, x0, y0, x1, y1});
  }

  paintPicked(panel, send, stretch) {
    const {pen} = this.page, [x0, y0, x1, y1] = this.ends(panel, send, stretch);
    for (const [width, colour] of [[6, theme().paper], [3, theme().ink]]) {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    }
    pen.fillStyle = theme().ink;
    pen.beginPath();
    pen.arc(x1, y1, 4, 0, 7);
    pen.fill();
  }

  paintNote(panel, every) {
    const {pen} = this.page, none = panel.run.messageSend.length === 0;
    if (!none && every === 1) return;
    pen.font = SMALL;
    pen.textAlign = 'right';
    pen.fillStyle = theme().soft;
    pen.fillText(
        none ? 'no messages' : 'one of ' + formatCount(every) + ' messages drawn', this.page.width - RIGHT,
        panel.y - HEAD / 2 - 2);
  }

  // The send of the nearest line within six pixels.
  eventAt(panel, x, y) {
    let best = -1, least = 6;
    for (const l of panel.lines || []) {
      const dx = l.x1 - l.x0, dy = l.y1 - l.y0, length = dx * dx + dy * dy;
      const at = length > 0 ? Math.max(0, Math.min(1, ((x - l.x0) * dx + (y - l.y0) * dy) / length)) : 0;
      const distance = Math.hypot(l.x0 + at * dx - x, l.y0 + at * dy - y);
      if (distance < least) {
        least = distance;
        best = l.send;
      }
    }
    return best;
  }
}

// ---- panels with values over time ----

class ValueChart extends TimeChart {
  paintScale(panel, y, height, top, format) {
    const {pen} = this.page;
    pen.font = SMALL;
    pen.textAlign = 'right';
    pen.fillStyle = theme().soft;
    pen.fillText(format(top), LEFT - 8, y + 6);
    pen.fillText('0', LEFT - 8, y + height - 5);
    pen.strokeStyle = theme().box;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(LEFT - 0.5, y);
    pen.lineTo(LEFT - 0.5, y + height + 0.5);
    pen.lineTo(this.page.width - RIGHT, y + height + 0.5);
    pen.stroke();
  }

  // Pixels are half a CSS pixel wide on sharp screens.
  columns() {
    return Math.max(1, Math.round(plotWidth(this.page) * Math.min(2, this.page.sharp)));
  }
}

// Computing, files, sending, receiving, collective operations, waiting of three kinds; idle is the rest.
const STACK = [0, 4, 1, 2, 5, UNDER_WAY, AWAITING, 3];

class Utilisation extends ValueChart {
  heightOf() {
    return 110;
  }

  paint(panel) {
    const {run, y, height} = panel, {pen} = this.page, stretch = stretchOf(run), columns = this.columns();
    const counts = totalCounts(run, view.from / stretch, view.to / stretch, columns),
          wide = plotWidth(this.page) / columns;
    const base = new Float32Array(columns), colours = theme(), end = xOf(this.page, run.end * stretch);
    pen.fillStyle = colours.states[IDLE];
    if (end > LEFT) pen.fillRect(LEFT, y, Math.min(end, this.page.width - RIGHT) - LEFT, height);
    for (const state of STACK) {
      pen.fillStyle = colours.states[state];
      pen.beginPath();
      for (let x = 0; x < columns; x++) {
        const value = counts[state * columns + x] / run.lanes * height;
        if (value > 0) pen.rect(LEFT + x * wide, y + height - base[x] - value, wide, value);
        base[x] += value;
      }
      pen.fill();
    }
    this.paintScale(panel, y, height, run.lanes, formatCount);
  }

  describe(panel, x) {
    const {run} = panel, stretch = stretchOf(run), one = (view.to - view.from) / plotWidth(this.page) / stretch;
    const time = this.timeIn(panel, x), counts = totalCounts(run, time, time + one, 1);
    const idle = run.lanes - counts.reduce((a, b) => a + b, 0), lines = [];
    for (const state of STACK) if (counts[state] > 0.005) lines.push([STATES[state], formatNumber(counts[state])]);
    if (idle > 0.005 && time <= run.end) lines.push(['idle', formatNumber(idle)]);
    return {title: formatTime(time, 6), note: 'processors', lines};
  }
}

class Traffic extends ValueChart {
  heightOf() {
    return 2 * 64 + 20;
  }

  tops(what) {
    return Math.max(
        1,
        ...report.runs.map(
            run => run.flights[what].length ?
                topOf([run.flights[what], ...run.flights.tops[what]], 0, run.flights[what].length) :
                0));
  }

  paint(panel) {
    this.paintValues(panel, panel.y, 'count', theme().flight[0], formatCount, 'messages');
    this.paintValues(panel, panel.y + 64 + 20, 'bytes', theme().flight[1], formatBytes, 'bytes');
  }

  paintValues(panel, y, what, colour, format, word) {
    const {run} = panel, {pen} = this.page, stretch = stretchOf(run), columns = this.columns(), top = this.tops(what);
    const values = flightTops(run, what, view.from / stretch, view.to / stretch, columns),
          wide = plotWidth(this.page) / columns;
    paintGrid(this.page, y, 64);
    pen.fillStyle = colour;
    pen.beginPath();
    for (let x = 0; x < columns; x++) {
      const height = values[x] / top * 64;
      if (height > 0) pen.rect(LEFT + x * wide, y + 64 - height, wide, height);
    }
    pen.fill();
    this.paintScale(panel, y, 64, top, format);
    pen.textAlign = 'right';
    pen.font = SMALL;
    pen.fillText(word, LEFT - 8, y + 34);
  }

  describe(panel, x) {
    const {run} = panel, stretch = stretchOf(run), time = this.timeIn(panel, x);
    const one = (view.to - view.from) / plotWidth(this.page) / stretch;
    const lines = [['messages on their way', formatCount(flightTops(run, 'count', time, time + one, 1)[0])],
      ['bytes on their way', formatBytes(flightTops(run, 'bytes', time, time + one, 1)[0])]];
    return {title: formatTime(time, 6), note: '', lines};
  }
}

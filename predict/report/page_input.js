// Mouse, wheel and keyboard over the charts; the hint at the pointer; the inspector of an event and its match.

const tip = () => byId('tip');

function showTip(x, y, title, note, lines) {
  const box = tip();
  box.replaceChildren(element('strong', title), note ? element('span.note', note) : null, rowsOf(lines));
  box.hidden = false;
  const {width, height} = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(window.innerWidth - width - 8, x + 14)) + 'px';
  box.style.top = (y + height + 24 > window.innerHeight ? Math.max(4, y - height - 12) : y + 16) + 'px';
}

function rowsOf(lines) {
  const list = element('dl');
  for (const [name, value] of lines) if (value) list.append(element('dt', name), element('dd', value));
  return list;
}

function hideTip() {
  tip().hidden = true;
  for (const line of document.querySelectorAll('.cross')) line.hidden = true;
}

function eventLines(run, event) {
  const lines = [['in', nodePath(run, run.node[event])], ['processor', formatCount(run.lane[event])],
    ['begins', formatTime(run.begin[event], 6)], ['takes', formatTime(run.duration[event], 4)],
    ['95\u00a0% interval', eventInterval(run, event)], ['amount', eventAmount(run, event)]];
  if (run.kind[event] === KIND.RECEIVE && run.partner[event] >= 0) {
    const {waiting, transport, work} = receiveParts(run, event), some = value => value > 0 ? formatTime(value, 4) : '';
    lines.push(['waiting for its sender', some(waiting)], ['message under way', some(transport)], ['receiving', some(work)]);
  }
  return lines;
}

function hintForEvent(run, event) {
  const lines = eventLines(run, event), match = matchOf(run, event);
  if (match >= 0) {
    const other = report.runs[1 - run.index];
    lines.push([other.title, formatTime(other.duration[match], 4)]);
    lines.push(['ratio', formatRatio(ratioOf(run, event, other, match))]);
  }
  return lines;
}

// Predicted over measured, or second over first.
function ratioOf(run, event, other, match) {
  const [first, second] =
      run.index === 0 ? [run.duration[event], other.duration[match]] : [other.duration[match], run.duration[event]];
  return first > 0 ? second / first : second > 0 ? Infinity : NaN;
}

function showCross(x) {
  for (const line of document.querySelectorAll('.cross')) {
    line.hidden = x < LEFT || x > line.parentElement.clientWidth - RIGHT;
    line.style.left = x + 'px';
  }
}

// ---- mouse ----

function placeOf(chart, pointer) {
  const box = chart.canvas.getBoundingClientRect();
  const scale = chart.page.width / box.width;
  return [(pointer.clientX - box.left) * scale, (pointer.clientY - box.top) * scale];
}

function hover(chart, pointer) {
  const [x, y] = placeOf(chart, pointer), panel = chart.panelAt(y);
  showCross(x);
  if (!panel || x < LEFT || x > chart.page.width - RIGHT) {
    tip().hidden = true;
    return;
  }
  const event = chart.eventAt(panel, x, y);
  chart.canvas.classList.toggle('over', event >= 0);
  if (event >= 0)
    showTip(
        pointer.clientX, pointer.clientY, eventName(panel.run, event), panel.run.title, hintForEvent(panel.run, event));
  else if (chart.describe) {
    const told = chart.describe(panel, x);
    showTip(pointer.clientX, pointer.clientY, told.title, told.note, told.lines);
  } else {
    const time = chart.timeIn(panel, x), lane = formatCount(chart.laneAt(panel, y));
    showTip(
        pointer.clientX, pointer.clientY, formatTime(time, 6), panel.run.title,
        [['processor', lane], ['', time <= panel.run.end ? 'idle' : 'the run has ended']].filter(l => l[0]));
  }
}

function click(chart, pointer) {
  const [x, y] = placeOf(chart, pointer), panel = chart.panelAt(y);
  const event = panel ? chart.eventAt(panel, x, y) : -1;
  if (event >= 0) select(panel.run, event);
  else unselect();
  if (panel && network.chosen && x >= LEFT) setInstant(timeAt(chart.page.width, x));
}

function listenToPointer(chart) {
  const canvas = chart.canvas;
  let start = null;
  canvas.addEventListener('pointerdown', pointer => {
    if (pointer.button !== 0) return;
    start = {
      x: pointer.clientX,
      y: pointer.clientY,
      from: view.from,
      to: view.to,
      lane0: view.lane0,
      lane1: view.lane1,
      moved: false
    };
    canvas.setPointerCapture(pointer.pointerId);
  });
  canvas.addEventListener('pointermove', pointer => {
    if (start) drag(chart, pointer, start);
    else hover(chart, pointer);
  });
  canvas.addEventListener('pointerup', pointer => {
    if (start && !start.moved) click(chart, pointer);
    start = null;
    canvas.classList.remove('dragging');
  });
  canvas.addEventListener('pointercancel', () => { start = null; });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('dblclick', pointer => zoomTime(0.4, timeAt(chart.page.width, placeOf(chart, pointer)[0])));
}

function drag(chart, pointer, start) {
  const dx = pointer.clientX - start.x, dy = pointer.clientY - start.y, box = chart.canvas.getBoundingClientRect();
  if (!start.moved && Math.hypot(dx, dy) < 4) return;
  start.moved = true;
  hideTip();
  chart.canvas.classList.add('dragging');
  const by = dx * chart.page.width / box.width / plotWidth(chart.page) * (start.to - start.from);
  setWindow(start.from - by, start.to - by);
  if (chart.panels.length && start.lane1 - start.lane0 < 1) {
    const lanes = dy / chart.panels[0].height * (start.lane1 - start.lane0);
    setLanes(start.lane0 - lanes, start.lane1 - lanes);
  }
}

// A wheel scrolls the page unless the chart has the focus or Ctrl is held; sideways it always moves in time.
function listenToWheel(chart) {
  chart.canvas.addEventListener('wheel', wheel => {
    const sideways = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY), focused = document.activeElement === chart.canvas;
    if (!sideways && !wheel.ctrlKey && !(focused || wheel.shiftKey)) return;
    wheel.preventDefault();
    hideTip();
    const unit = wheel.deltaMode === 1 ? 30 : 1, [x, y] = placeOf(chart, wheel), panel = chart.panelAt(y);
    if (wheel.shiftKey) {
      const amount = (wheel.deltaY || wheel.deltaX) * unit;
      const at = panel ?
          view.lane0 + Math.max(0, Math.min(1, (y - panel.y) / panel.height)) * (view.lane1 - view.lane0) :
          undefined;
      zoomLanes(Math.exp(amount * 0.002), at);
    } else if (sideways) panTime(wheel.deltaX * unit / plotWidth(chart.page));
    else zoomTime(Math.exp(Math.max(-300, Math.min(300, wheel.deltaY * unit)) * 0.002), timeAt(chart.page.width, x));
  }, {passive: false});
}

// ---- keyboard ----

const KEYS = {
  ArrowLeft: key => panTime(key.shiftKey ? -0.5 : -0.1),
  ArrowRight: key => panTime(key.shiftKey ? 0.5 : 0.1),
  ArrowUp: key => key.shiftKey ? zoomLanes(0.5) : selection.run >= 0 ? stepLane(-1) : panLanes(-0.25),
  ArrowDown: key => key.shiftKey ? zoomLanes(2) : selection.run >= 0 ? stepLane(1) : panLanes(0.25),
  '+': () => zoomTime(1 / 1.6, focusTime()),
  '=': () => zoomTime(1 / 1.6, focusTime()),
  '-': () => zoomTime(1.6, focusTime()),
  _: () => zoomTime(1.6, focusTime()),
  Home: showWhole,
  End: () => setWindow(report.longest - (view.to - view.from), report.longest),
  n: () => stepEvent(1),
  p: () => stepEvent(-1),
  m: goToPartner,
  f: zoomToChosen,
  ',': () => stepInstant(-1),
  '.': () => stepInstant(1),
  l: () => setOwn(!view.own),
  Enter: goToMatch,
  Escape: unselect,
};

// Zooming keeps the selected event where it is.
function focusTime() {
  if (selection.run < 0) return undefined;
  const run = report.runs[selection.run];
  const at = (run.begin[selection.event] + run.duration[selection.event] / 2) * stretchOf(run);
  return at >= view.from && at <= view.to ? at : undefined;
}

function listenToKeys(chart) {
  chart.canvas.addEventListener('keydown', key => {
    const action = KEYS[key.key.length === 1 ? key.key.toLowerCase() : key.key];
    if (!action || key.ctrlKey || key.metaKey || key.altKey) return;
    key.preventDefault();
    hideTip();
    action(key);
  });
}

function setOwn(own) {
  const share = report.longest;
  view.own = own;
  byId('own').checked = own;
  setWindow(Math.min(view.from, share), Math.min(view.to, share));
}

// ---- the inspector ----

function inspectorColumn(found, primary) {
  const {run, event} = found;
  const swatch = element('i.swatch');
  if (run.kind[event] >= KIND.KERNEL) swatch.style.background = theme().states[run.kind[event] - KIND.KERNEL];
  const head = element('h3', swatch, eventName(run, event), element('span.note', run.title));
  return element(primary ? 'div.event.primary' : 'div.event', head, rowsOf(eventLines(run, event)));
}

function showInspector() {
  const box = byId('inspector'), found = chosen(), root = document.documentElement.dataset;
  root.selected = found.length ? found[0].run.index + ':' + found[0].event : '';
  root.match = found.length > 1 ? found[1].run.index + ':' + found[1].event : '';
  box.hidden = !found.length;
  document.body.classList.toggle('inspecting', found.length > 0);
  if (!found.length) return;
  const [own, match] = found;
  const both = match && match.run.index < own.run.index ? [match, own] : found;
  const columns = both.map(f => inspectorColumn(f, f === own));
  byId('inspected').replaceChildren(...columns, match ? ratioColumn(own, match) : element('p.note', lonelyText(own)));
  byId('to-match').disabled = !match;
  byId('to-partner').disabled = own.run.partner[own.event] < 0;
  announce(own, match);
}

function lonelyText({run}) {
  return report.runs.length < 2 ? '' :
      run.match                  ? 'It has no match in the other run.' :
                                  'Events of runs with different numbers of processors have no matches.';
}

function ratioColumn(own, match) {
  const ratio = ratioOf(own.run, own.event, match.run, match.event), [first, second] = report.runs;
  const predicted = own.run.index === 1 ? own : match, measured = own.run.index === 0 ? own : match;
  const [low, high] = predicted.run.above ?
      [
        predicted.run.duration[predicted.event] - predicted.run.below[predicted.event],
        predicted.run.duration[predicted.event] + predicted.run.above[predicted.event]
      ] :
      [0, 0];
  const time = measured.run.duration[measured.event];
  const inside = high > low ? (time >= low && time <= high ? 'The measured time is in the interval.' :
                                                             'The measured time is outside of the interval.') :
                              '';
  return element(
      'div.ratio', element('span.figure', formatRatio(ratio)), element('span.note', second.title + ' / ' + first.title),
      element('p.note', inside));
}

function announce(own, match) {
  const words = eventName(own.run, own.event) + ', ' + own.run.title + ', processor ' + own.run.lane[own.event] + ', ' +
      formatTime(own.run.duration[own.event]);
  byId('said').textContent = match ? words + '; ' + match.run.title + ' ' + formatTime(match.run.duration[match.event]) +
          ', ratio ' + formatRatio(ratioOf(own.run, own.event, match.run, match.event)) :
                                    words;
}

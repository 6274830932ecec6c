// What is seen: the window of time and processors that all charts over time share, the selection, colours.
//
// Time on the axis is in nanoseconds; when every run has its own length, a run's time is stretched
// to that of the longest.

const THEMES = {
  light: {
    states: ['#0072b2', '#e49700', '#d55e00', '#f7f24c', '#ca7baa', '#009e73', '#ffdbcf', '#fab795', '#e9ecf0'], paper: '#ffffff', grid: '#d5dae1',
    ink: '#1b2330', soft: '#56616f', message: '#2b3644', flight: ['#56b4e9', '#009e73'],
    sizes: ['#21c2e2', '#4fa86d', '#a37e11', '#ae5045', '#7a3b9a', '#1c2b50'], ramp: ['#eef3f7', '#00365c'],
    box: '#b9c1cc', strip: ['#dfe4ea', '#eef1f5'],
  },
  dark: {
    states: ['#3b9ad6', '#f3af17', '#e27b43', '#fff274', '#cc9ebc', '#32cb98', '#4d362b', '#9b5c3b', '#2a313b'], paper: '#161b22', grid: '#343d49',
    ink: '#e8ecf1', soft: '#9da8b6', message: '#c3ccd8', flight: ['#63bdf0', '#20956f'],
    sizes: ['#4862d8', '#37926e', '#d27abf', '#62c462', '#cde135', '#ffe9f0'], ramp: ['#222a33', '#a9dcff'],
    box: '#465161', strip: ['#36404c', '#28303a'],
  },
};
const DARK = window.matchMedia('(prefers-color-scheme: dark)');

const report = {facts: null, runs: [], longest: 1, lanes: 1};
const view = {from: 0, to: 1, own: false, lane0: 0, lane1: 1, printing: false};
const selection = {run: -1, event: -1};
const charts = [];

function theme() {
  return THEMES[DARK.matches && !view.printing ? 'dark' : 'light'];
}

// Events that are not there are drawn as nothing: a factor of 1 will do.
function stretchOf(run) {
  return view.own && run.end > 0 ? report.longest / run.end : 1;
}

// ---- drawing when there is something new ----

// Charts over time change with the window; the others only when they are stale.
let waiting = false;

function renew(...stale) {
  for (const chart of stale) chart.stale = true;
  redraw();
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(drawAll);
}

function drawAll() {
  waiting = false;
  const begin = performance.now();
  for (const chart of charts) {
    if (!view.printing && !(chart.seen && (chart.overTime || chart.stale))) continue;
    chart.draw();
    chart.stale = false;
  }
  document.documentElement.dataset.frame = (performance.now() - begin).toFixed(1);
  showWindow();
}

function showWindow() {
  const whole = view.from <= 0 && view.to >= report.longest;
  byId('window').textContent = view.own ? (100 * view.from / report.longest).toFixed(1) + '\u2009\u2026\u2009' +
          (100 * view.to / report.longest).toFixed(1) + '\u00a0%' :
                                          formatRange(view.from, view.to);
  byId('whole').disabled = whole && view.lane0 === 0 && view.lane1 === 1;
  document.documentElement.dataset.from = view.from;
  document.documentElement.dataset.to = view.to;
}

// ---- moving ----

function setWindow(from, to) {
  const least = Math.min(20, report.longest), span = Math.min(report.longest, Math.max(least, to - from));
  const middle = (from + to) / 2;
  view.from = Math.min(report.longest - span, Math.max(0, middle - span / 2));
  view.to = view.from + span;
  redraw();
}

function zoomTime(factor, at = (view.from + view.to) / 2) {
  const least = Math.min(20, report.longest), span = (view.to - view.from) * factor;
  if (span < least) factor = least / (view.to - view.from);
  setWindow(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function panTime(share) {
  const by = (view.to - view.from) * share;
  setWindow(view.from + by, view.to + by);
}

function setLanes(lane0, lane1) {
  const span = Math.min(1, Math.max(Math.min(1, 1 / report.lanes), lane1 - lane0));
  view.lane0 = Math.min(1 - span, Math.max(0, (lane0 + lane1 - span) / 2));
  view.lane1 = view.lane0 + span;
  redraw();
}

function zoomLanes(factor, at = (view.lane0 + view.lane1) / 2) {
  setLanes(at - (at - view.lane0) * factor, at + (view.lane1 - at) * factor);
}

function panLanes(share) {
  const by = (view.lane1 - view.lane0) * share;
  setLanes(view.lane0 + by, view.lane1 + by);
}

function showWhole() {
  setLanes(0, 1);
  setWindow(0, report.longest);
}

// ---- selection ----

function matchOf(run, event) {
  return run.match ? run.match[event] : -1;
}

// The selected event and its match, the selected one first.
function chosen() {
  if (selection.run < 0) return [];
  const run = report.runs[selection.run], match = matchOf(run, selection.event);
  const found = [{run, event: selection.event}];
  if (match >= 0) found.push({run: report.runs[1 - selection.run], event: match});
  return found;
}

function select(run, event) {
  selection.run = run.index;
  selection.event = event;
  revealChosen();
  showInspector();
  redraw();
  requestAnimationFrame(scrollToChosen);
}

// Scrolls the page as little as is needed to see both matches, or the selected one, between toolbar and inspector.
function scrollToChosen() {
  const chart =
      charts.find(c => c.canvas === document.activeElement && c.showsEvents) || charts.find(c => c.showsEvents);
  const top = chart.canvas.getBoundingClientRect().top, least = byId('tools').offsetHeight + 20;
  const most = byId('inspector').getBoundingClientRect().top - 20;
  const places = chosen().map(({run, event}) => {
    const panel = chart.panels.find(p => p.run === run);
    return top + Math.max(panel.y, Math.min(panel.y + panel.height, chart.laneMiddle(panel, run.lane[event])));
  });
  let [low, high] = [Math.min(...places), Math.max(...places)];
  if (high - low > most - least) low = high = places[0];
  window.scrollBy(0, low < least ? low - least : high > most ? high - most : 0);
}

function unselect() {
  selection.run = selection.event = -1;
  showInspector();
  redraw();
}

// Moves and, if need be, widens the window so that both matches are in it.
function revealChosen() {
  let low = Infinity, high = -Infinity, lane0 = 1, lane1 = 0;
  for (const {run, event} of chosen()) {
    low = Math.min(low, run.begin[event] * stretchOf(run));
    high = Math.max(high, (run.begin[event] + run.duration[event]) * stretchOf(run));
    lane0 = Math.min(lane0, run.lane[event] / run.lanes);
    lane1 = Math.max(lane1, (run.lane[event] + 1) / run.lanes);
  }
  if (low < view.from || high > view.to) {
    const span = Math.max(view.to - view.from, (high - low) * 1.25), middle = (low + high) / 2;
    setWindow(middle - span / 2, middle + span / 2);
  }
  if (lane0 < view.lane0 || lane1 > view.lane1) {
    const span = Math.max(view.lane1 - view.lane0, lane1 - lane0), middle = (lane0 + lane1) / 2;
    setLanes(middle - span / 2, middle + span / 2);
  }
}

// The events of a lane that can be pointed at: leaves that are not hidden behind others, and calls.
function neighbour(run, event, step) {
  const leaf = run.kind[event] >= KIND.KERNEL, lane = run.lane[event];
  for (let k = event + step; k >= run.start[lane] && k < run.start[lane + 1]; k += step)
    if (run.kind[k] >= KIND.KERNEL === leaf) return k;
  return event;
}

// The leaf of a lane at a time, or the nearest one; -1 if it has none.
function leafAt(run, lane, time) {
  const low = run.leafStart[lane], high = run.leafStart[lane + 1];
  if (low === high) return -1;
  const after = Math.min(high - 1, firstAfter(run.leafEnd, time, low, high));
  const distance = k => Math.max(0, run.leafBegin[k] - time, time - run.leafEnd[k]);
  return run.leaf[after > low && distance(after - 1) < distance(after) ? after - 1 : after];
}

function stepEvent(step) {
  if (selection.run < 0) return selectSomething();
  const run = report.runs[selection.run];
  select(run, neighbour(run, selection.event, step));
}

function stepLane(step) {
  const run = report.runs[selection.run], lane = run.lane[selection.event] + step;
  if (lane < 0 || lane >= run.lanes) return;
  const found = leafAt(run, lane, run.begin[selection.event] + run.duration[selection.event] / 2);
  if (found >= 0) select(run, found);
}

function selectSomething() {
  const run = report.runs[0], lane = Math.floor(view.lane0 * run.lanes);
  const found = leafAt(run, lane, (view.from + view.to) / 2 / stretchOf(run));
  if (found >= 0) select(run, found);
}

function goToMatch() {
  const [, match] = chosen();
  if (selection.run < 0) selectSomething();
  else if (match) select(match.run, match.event);
}

function goToPartner() {
  if (selection.run < 0) return;
  const run = report.runs[selection.run], partner = run.partner[selection.event];
  if (partner >= 0) select(run, partner);
}

function zoomToChosen() {
  if (selection.run < 0) return;
  let low = Infinity, high = 0;
  for (const {run, event} of chosen()) {
    low = Math.min(low, run.begin[event] * stretchOf(run));
    high = Math.max(high, (run.begin[event] + run.duration[event]) * stretchOf(run));
  }
  setWindow(low - 0.6 * (high - low), high + 0.6 * (high - low));
}

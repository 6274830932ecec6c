// Summary, comparison by state, and the tree of intervals.

const LEAF_KINDS = [2, 3, 4, 5, 6, 7];

// ---- summary ----

function sentBy(run) {
  let messages = 0, bytes = 0;
  for (let k = 0; k < run.count; k++) if (run.kind[k] === KIND.SEND) {
    messages++;
    bytes += run.amount[k];
  }
  return {messages, bytes};
}

// Efficiency and shares of the whole run, by its first interval or by adding up.
function wholeShares(run) {
  const top = run.intervals[0], total = Math.max(1, run.end * run.lanes);
  if (top)
    return {
      efficiency: top.efficiency.efficiency,
      communication: top.all.communication / Math.max(1, top.all.total),
      idle: top.all.idle / Math.max(1, top.all.total)
    };
  const state = s => run.totals[s][TOTAL_BINS] / TOTAL_BINS * run.end / total;
  const productive = state(0) + state(4), communication = state(1) + state(2) + state(3);
  return {efficiency: productive, communication, idle: 1 - productive - communication};
}

function card(name, value, note) {
  const figure =
      element('span.figure', ...[value].flat().flatMap((v, k) => k ? [element('span.apart', '\u00b7'), v] : [v]));
  if (Array.isArray(value) && value.length > 1) figure.classList.add('two');
  return element('div.card', element('span.name', name), figure, element('span.note', note || ''));
}

// Nanoseconds that a run takes: predictions are drawn without noise, which makes runs longer, and with reading files.
function lengthOf(run) {
  const {median} = run.facts;
  return median === null ? run.end : median * 1e9;
}

function lengthWithFiles(run) {
  return lengthOf(run) + run.facts.files * 1e9;
}

function lengthNote(run) {
  const {median, low, high, files} = run.facts;
  if (low === null) return run.facts.machine;
  const drawn = median === null ? 'without noise' : 'drawn without noise, ' + formatTime(run.end);
  return '95\u00a0%: ' + formatRange(low * 1e9, high * 1e9) +
      (files > 0 ? ', after ' + formatTime(files * 1e9) + ' of reading files' : '') + '; ' + drawn;
}

function showCards(runs) {
  const cards = byId('cards'), [first, second] = runs, c = report.facts.comparison;
  if (c && c.common[0][2] > 0) {
    const [measured, predicted, steps] = c.common[0];
    cards.append(card(
        'steps that both have', formatRatio(predicted / measured),
        [measured, predicted].map(t => formatTime(t * 1e9)).join(' \u00b7 ') + ', ' + plural(steps, 'step')));
  }
  for (const run of runs) cards.append(card(run.title, formatTime(lengthOf(run)), lengthNote(run)));
  if (second) {
    const [one, other] = [first, second].map(lengthWithFiles), ratio = one > 0 ? other / one : NaN, off = ratio - 1;
    cards.append(card(
        second.title + ' / ' + first.title, formatRatio(ratio),
        Number.isNaN(off) ? '' : (off < 0 ? '\u2212' : '+') + formatShare(Math.abs(off))));
  }
  cards.append(card(
      'productive time', runs.map(r => formatShare(wholeShares(r).efficiency)),
      runs.length > 1 ? runs.map(r => r.title).join(' \u00b7 ') : 'of all processors\u2019 time'));
  const sent = runs.map(sentBy), same = sent.every(s => s.messages === sent[0].messages && s.bytes === sent[0].bytes);
  cards.append(card(
      'messages', same ? formatCount(sent[0].messages) : sent.map(s => formatCount(s.messages)),
      same ? formatBytes(sent[0].bytes) + (runs.length > 1 ? ', equal in both' : '') :
             sent.map(s => formatBytes(s.bytes)).join(' \u00b7 ')));
  if (c && c.withInterval > 0)
    cards.append(card(
        'in the 95\u00a0% intervals', formatShare(c.covered / c.withInterval),
        'of ' + plural(c.withInterval, 'event')));
}

// One paragraph: how long, where the time goes, what limits it, what would help, how sure.
function showAnswer(lines) {
  for (const line of lines) {
    const end = line.indexOf(':') + 1;
    byId('answer').append(element('span', element('strong', line.slice(0, end)), line.slice(end) + ' '));
  }
}

function showSummary(runs) {
  showCards(runs);
  const rows = [
    ['program', r => r.facts.program], ['machine', r => r.facts.machine], ['processors', r => formatCount(r.lanes)],
    ['ranks \u00d7 threads', r => r.facts.predicted ? NONE : r.facts.ranks + ' \u00d7 ' + r.facts.threads],
    ['length', r => formatTime(lengthOf(r), 4)],
    ['95\u00a0% interval', r => r.facts.low !== null ? formatRange(r.facts.low * 1e9, r.facts.high * 1e9) : NONE],
    ['productive', r => formatShare(wholeShares(r).efficiency)],
    ['communication', r => formatShare(wholeShares(r).communication)], ['idle', r => formatShare(wholeShares(r).idle)],
    ['messages', r => formatCount(sentBy(r).messages)], ['bytes', r => formatBytes(sentBy(r).bytes)],
    ['events', r => formatCount(r.count)]
  ];
  if (runs.some(r => r.facts.dropped)) rows.push(['events lost for lack of memory', r => formatCount(r.facts.dropped)]);
  const table = byId('summary-table');
  table.tHead.append(element('tr', element('th', ''), ...rows.map(([name]) => element('th', name))));
  for (const run of runs)
    table.tBodies[0].append(
        element('tr', element('th', run.title), ...rows.map(([, value]) => element('td', value(run)))));
}

// ---- comparison ----

class RatioStrip {
  constructor(canvas, states, lanes) {
    Object.assign(this, {canvas, states, lanes, seen: true, stale: true});
    canvas.addEventListener('pointermove', pointer => this.point(pointer));
    canvas.addEventListener('pointerleave', hideTip);
    charts.push(this);
  }

  colour(ratio) {
    const {states, paper} = theme(), share = Math.max(-1, Math.min(1, Math.log2(ratio)));
    const to = rgb(share < 0 ? states[0] : states[2]), from = rgb(paper), by = Math.abs(share);
    return 'rgb(' + from.map((c, k) => Math.round(c + (to[k] - c) * by)).join(',') + ')';
  }

  draw() {
    const page = prepareCanvas(this.canvas, this.states.length * 22 + 24), {pen} = page, wide = plotWidth(page) - 50;
    this.left = LEFT + 50;
    this.wide = wide;
    pen.font = SMALL;
    this.states.forEach((state, row) => {
      pen.textAlign = 'right';
      pen.fillStyle = theme().soft;
      pen.fillText(KIND_NAMES[state.kind], this.left - 8, row * 22 + 11);
      pen.fillStyle = theme().states[IDLE];
      pen.fillRect(this.left, row * 22 + 1, wide, 20);
      for (let lane = 0; lane < this.lanes; lane++) {
        const [measured, predicted] = state.of(lane);
        if (!(measured > 0 && predicted > 0)) continue;
        pen.fillStyle = this.colour(predicted / measured);
        const x0 = this.left + lane / this.lanes * wide, one = wide / this.lanes;
        pen.fillRect(x0, row * 22 + 1, one > 5 ? one - 1 : one + 0.3, 20);
      }
    });
    pen.textAlign = 'center';
    pen.fillStyle = theme().soft;
    const step = wholeStep(this.lanes / Math.max(2, wide / 60));
    for (let lane = 0; lane < this.lanes; lane += step)
      pen.fillText(formatCount(lane), this.left + (lane + 0.5) / this.lanes * wide, this.states.length * 22 + 12);
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect(),
          lane = Math.floor((pointer.clientX - box.left - this.left) / this.wide * this.lanes);
    const state = this.states[Math.floor((pointer.clientY - box.top) / 22)];
    if (!state || lane < 0 || lane >= this.lanes) return hideTip();
    const [measured, predicted] = state.of(lane);
    showTip(pointer.clientX, pointer.clientY, 'processor ' + lane, KIND_NAMES[state.kind], [
      [report.runs[0].title, formatTime(measured)], [report.runs[1].title, formatTime(predicted)],
      ['ratio', formatRatio(predicted / measured)]
    ]);
  }
}

function ratioRow(name, ratio) {
  const [measured, predicted, events, median, p90] = ratio;
  return element(
      'tr', element('th', name), element('td.n', formatTime(measured * 1e9)),
      element('td.n', formatTime(predicted * 1e9)),
      element('td.n', measured > 0 ? formatRatio(predicted / measured) : NONE),
      element('td.n', events > 0 ? formatCount(events) : NONE), element('td.n', formatShare(median)),
      element('td.n', formatShare(p90)));
}

// Nanoseconds that every processor spends in every kind of event.
function laneSums(run) {
  const sums = new Float64Array(run.lanes * KIND_NAMES.length);
  for (let k = 0; k < run.count; k++) sums[run.lane[k] * KIND_NAMES.length + run.kind[k]] += run.duration[k];
  return sums;
}

function showComparison(runs) {
  const c = report.facts.comparison, section = byId('comparison');
  if (!c) return section.remove();
  const table = byId('state-table'), [first, second] = runs.map(r => r.title),
        used = LEAF_KINDS.filter(k => c.state[k][0] > 0 || c.state[k][1] > 0);
  table.tHead.append(element(
      'tr', element('th', ''), element('th.n', first), element('th.n', second), element('th.n', 'ratio'),
      element('th.n', 'pairs'), element('th.n', 'median error'), element('th.n', 'p90 error')));
  for (const kind of used) table.tBodies[0].append(ratioRow(KIND_NAMES[kind], c.state[kind]));
  if (c.common[0][2] > 0) table.tBodies[0].append(ratioRow('steps that both have', c.common[0]));
  table.tBodies[0].append(ratioRow('length of the run', c.total[0]));
  const lost = c.onlyMeasured + c.onlyPredicted;
  byId('comparison-text').textContent = plural(c.pairs, 'pair') + ' of events' +
      (lost ? '; ' + formatCount(c.onlyMeasured) + ' only ' + first + ', ' + formatCount(c.onlyPredicted) + ' only ' +
               second :
              '') +
      '. ' +
      (c.sameProcessors ? 'Times are sums over all processors; errors are those of single events.' :
                          'The runs have different numbers of processors: events cannot be paired, only intervals.');
  if (!c.sameProcessors || runs[0].lanes < 2) return byId('lane-states').remove();
  const sums = runs.map(laneSums), of = kind => lane => sums.map(sum => sum[lane * KIND_NAMES.length + kind]);
  new RatioStrip(byId('lane-states').querySelector('canvas'), used.map(kind => ({kind, of: of(kind)})), runs[0].lanes);
}

// ---- intervals ----

// Numbers get the names that "columns" gives them.
function nameIntervals(run) {
  const {columns, efficiencies, kinds} = report.facts,
                                named = (names, values) => Object.fromEntries(names.map((n, k) => [n, values[k]]));
  run.intervals = run.facts.intervals.map((i, index) => ({
                                            ...i,
                                            index,
                                            all: named(columns, i.all),
                                            least: named(columns, i.least),
                                            most: named(columns, i.most),
                                            kind: named(kinds, i.kind),
                                            kindSynchronisation: named(kinds, i.kindSynchronisation),
                                            kindOverlap: named(kinds, i.kindOverlap),
                                            kindRounds: named(kinds, i.kindRounds),
                                            efficiency: named(efficiencies, i.efficiency),
                                            children: []
                                          }));
  for (const interval of run.intervals)
    if (interval.parent >= 0) run.intervals[interval.parent].children.push(interval);
}

const time = (title, of, hint) => ({title, of, hint, format: formatTime});
const share = (title, of, hint) => ({title, of, hint, format: formatShare});
const count = (title, of, hint) => ({title, of, hint, format: formatCount});
const bytes = (title, of, hint) => ({title, of, hint, format: formatBytes});

function columnGroups() {
  const kinds = report.facts.kinds.filter(k => report.runs.some(r => r.intervals.some(i => i.kind[k] > 0)));
  const byKind = field => kinds.map(k => time(k, i => i[field][k]));
  return {
    'Lost time': [
      count('times', i => i.instances, 'how often it was entered'),
      time('execution', i => i.all.execution, 'of the slowest processor'),
      time('total', i => i.all.total, 'execution times processors'), time('productive', i => i.all.productive),
      time('lost', i => i.all.lost, 'insufficient parallelism + communication + idle'),
      time('insufficient parallelism', i => i.all.insufficient), time('communication', i => i.all.communication),
      time('idle', i => i.all.idle)
    ],
    'Balance': [
      time('computing', i => i.all.compute),
      time('least', i => i.least.compute, 'computing of the processor that has least'),
      time('most', i => i.most.compute, 'computing of the processor that has most'),
      time('imbalance', i => i.all.imbalance, 'the longest computing minus everybody\u2019s own'),
      time('repeated', i => i.all.repeated, 'computing that several processors repeat'), time('files', i => i.all.file),
      time('variation', i => i.all.variation, 'spread at the ends of rounds')
    ],
    'Communication': [
      count('messages', i => i.all.messages), bytes('bytes', i => i.all.bytes),
      time('communication', i => i.all.communication),
      time('synchronisation', i => i.all.synchronisation, 'waiting for a partner who came later'),
      time('overlap', i => i.all.overlap, 'computing while messages are on their way'), ...byKind('kind')
    ],
    'Receives': [
      time('waiting', i => i.all.receive_waiting, 'until the sender sends'),
      time('transport', i => i.all.receive_transport, 'until the message is there; in measured runs with its overhead'),
      time('overhead', i => i.all.receive_overhead, 'taking the message')
    ],
    'Synchronisation by kind': byKind('kindSynchronisation'),
    'Overlap by kind': byKind('kindOverlap'),
    'Rounds by kind': kinds.map(k => count(k, i => i.kindRounds[k])),
    'POP factors': [
      share('efficiency', i => i.efficiency.efficiency, 'productive of total'),
      share('parallel efficiency', i => i.efficiency.parallel, 'load balance \u00d7 communication efficiency'),
      share('load balance', i => i.efficiency.loadBalance),
      share('communication efficiency', i => i.efficiency.communication, 'serialisation \u00d7 transfer'),
      share('serialisation', i => i.efficiency.serialisation), share('transfer', i => i.efficiency.transfer),
      share('replication', i => i.efficiency.replication)
    ],
  };
}

const tree = {
  run: 0,
  ratio: false,
  group: 'Lost time',
  sort: -1,
  down: true,
  open: new Set(),
  selected: -1,
  groups: {}
};

// The interval of the other run with the same place in the program.
function otherInterval(interval) {
  const c = report.facts.comparison;
  return c && report.runs[1] ? report.runs[1].intervals.find(i => i.node === c.nodeMatch[interval.node]) : undefined;
}

function cellValue(column, interval) {
  if (!tree.ratio) return column.of(interval);
  const other = otherInterval(interval), own = column.of(interval);
  return other && own > 0 ? column.of(other) / own : NaN;
}

function sortedIntervals(list) {
  const columns = tree.groups[tree.group];
  if (tree.sort < 0 || !columns[tree.sort]) return list;
  const value = i => cellValue(columns[tree.sort], i) ?? -Infinity;
  return [...list].sort((a, b) => (value(a) - value(b)) * (tree.down ? -1 : 1) || a.index - b.index);
}

function splitBar(interval) {
  const bar = element('div.split'), {all} = interval, total = Math.max(1, all.total), told = [];
  for (const [name, value] of [
           ['productive', all.productive], ['insufficient', all.insufficient], ['communication', all.communication],
           ['idle', all.idle]]) {
    const part = element('i.' + name);
    part.style.width = 100 * value / total + '%';
    bar.append(part);
    told.push(name + ' ' + formatShare(value / total));
  }
  bar.title = told.join(', ');
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', bar.title);
  return bar;
}

function intervalRow(run, interval, columns) {
  const name = element('th'), open = tree.open.has(interval.index), row = element('tr');
  name.style.paddingLeft = 8 + interval.level * 18 + 'px';
  if (interval.children.length) {
    const toggle = element('button.toggle', open ? '\u25be' : '\u25b8');
    toggle.type = 'button';
    toggle.tabIndex = -1;
    toggle.setAttribute('aria-label', open ? 'collapse' : 'expand');
    toggle.addEventListener('click', click => {
      click.stopPropagation();
      toggleInterval(interval);
    });
    name.append(toggle);
    row.setAttribute('aria-expanded', open);
  } else name.append(element('span.toggle', ''));
  name.append(element('span.text', nodeName(run, interval.node)));
  name.title = nodePath(run, interval.node);
  row.append(
      name, element('td', splitBar(interval)),
      ...columns.map(
          c => element('td.n', tree.ratio ? formatRatio(cellValue(c, interval)) : c.format(c.of(interval)))));
  if (hasPlaces(run)) row.append(element('td.place', shortPlaces(run, interval)));
  row.setAttribute('aria-level', interval.level + 1);
  row.setAttribute('aria-selected', interval.index === tree.selected);
  row.tabIndex = interval.index === Math.max(0, tree.selected) ? 0 : -1;
  row.dataset.interval = interval.index;
  row.addEventListener('click', () => selectInterval(interval.index));
  return row;
}

function toggleInterval(interval, to = !tree.open.has(interval.index)) {
  if (to) tree.open.add(interval.index);
  else tree.open.delete(interval.index);
  showTree();
}

function headCell(column, k) {
  const cell = element('th.n'),
        button = element(
            'button', tree.sort === k ? element('span.arrow', tree.down ? '\u2193' : '\u2191') : null, column.title);
  button.type = 'button';
  if (column.hint) button.title = column.hint;
  cell.setAttribute('aria-sort', tree.sort === k ? (tree.down ? 'descending' : 'ascending') : 'none');
  button.addEventListener('click', () => {
    tree.down = tree.sort === k ? !tree.down : true;
    tree.sort = k;
    showTree();
  });
  cell.append(button);
  return cell;
}

function showTree() {
  const run = report.runs[tree.run], columns = tree.groups[tree.group], table = byId('tree'),
        focused = table.contains(document.activeElement);
  const inProgram = element('button', 'interval');
  inProgram.type = 'button';
  inProgram.title = 'in the order of the program';
  inProgram.addEventListener('click', () => {
    tree.sort = -1;
    showTree();
  });
  table.caption.textContent =
      (tree.ratio ? report.runs[1].title + ' / ' + report.runs[0].title : run.title) + ': ' + tree.group.toLowerCase();
  table.tHead.replaceChildren(
      element('tr', element('th', inProgram), element('th', 'where the time went'), ...columns.map(headCell),
              ...(hasPlaces(run) ? [element('th', 'place in the source')] : [])));
  const rows = [], add = interval => {
    rows.push(intervalRow(run, interval, columns));
    if (tree.open.has(interval.index)) sortedIntervals(interval.children).forEach(add);
  };
  run.intervals.filter(i => i.parent < 0).forEach(add);
  table.tBodies[0].replaceChildren(...rows);
  if (focused) (table.querySelector('tbody tr[tabindex="0"]') || rows[0]).focus();
  showDetail(run);
}

function selectInterval(index) {
  tree.selected = index;
  showTree();
}

function treeKey(key) {
  const row = key.target.closest('tbody tr');
  if (!row) return;
  const run = report.runs[tree.run], interval = run.intervals[row.dataset.interval],
        rows = [...byId('tree').tBodies[0].rows];
  const go = to => {
    if (!to) return;
    tree.selected = Number(to.dataset.interval);
    showTree();
  };
  const actions = {
    ArrowDown: () => go(rows[rows.indexOf(row) + 1]),
    ArrowUp: () => go(rows[rows.indexOf(row) - 1]),
    Home: () => go(rows[0]),
    End: () => go(rows[rows.length - 1]),
    ArrowRight: () => interval.children.length && toggleInterval(interval, true),
    ArrowLeft: () => tree.open.has(interval.index) ? toggleInterval(interval, false) :
                                                     go(rows.find(r => Number(r.dataset.interval) === interval.parent)),
    Enter: () => showInTime(run, interval),
  };
  if (!actions[key.key]) return;
  key.preventDefault();
  tree.selected = interval.index;
  actions[key.key]();
}

// ---- one interval on every processor ----

class EachChart {
  constructor(canvas) {
    Object.assign(this, {canvas, seen: true, stale: true, each: null});
    canvas.addEventListener('pointermove', pointer => this.point(pointer));
    canvas.addEventListener('pointerleave', hideTip);
    charts.push(this);
  }

  parts() {
    const {states} = theme();
    return [
      ['productive', states[0]], ['insufficient', states[4]], ['communication', states[2]], ['idle', states[IDLE]]
    ];
  }

  draw() {
    if (!this.each) return;
    const page = this.page = prepareCanvas(this.canvas, 130), {pen} = page, lanes = this.each.idle.length,
          wide = plotWidth(page), high = 100;
    const columns = Math.min(lanes, Math.round(wide * 2)), one = wide / columns;
    for (let x = 0; x < columns; x++) {
      const lane = Math.floor(x * lanes / columns);
      let y = 6 + high;
      for (const [what, colour] of this.parts()) {
        const height = this.each[what][lane] / Math.max(1, this.total) * high;
        pen.fillStyle = colour;
        pen.fillRect(LEFT + x * one, y -= height, one > 4 ? one - 1 : one + 0.2, height);
      }
    }
    pen.font = SMALL;
    pen.fillStyle = theme().soft;
    pen.textAlign = 'right';
    pen.fillText(formatTime(this.total), LEFT - 8, 12);
    pen.fillText('0', LEFT - 8, high + 2);
    pen.textAlign = 'center';
    const step = wholeStep(lanes / Math.max(2, wide / 60));
    for (let lane = 0; lane < lanes; lane += step)
      pen.fillText(formatCount(lane), LEFT + (lane + 0.5) / lanes * wide, high + 18);
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect(),
          lane = Math.floor((pointer.clientX - box.left - LEFT) / plotWidth(this.page) * this.each.idle.length);
    if (!(lane >= 0 && lane < this.each.idle.length)) return hideTip();
    showTip(
        pointer.clientX, pointer.clientY, 'processor ' + lane, '',
        this.parts().map(
            ([
              what
            ]) => [what === 'insufficient' ? 'insufficient parallelism' : what, formatTime(this.each[what][lane])]));
  }
}

let eachChart = null;

function showDetail(run) {
  const box = byId('interval-detail'), interval = run.intervals[tree.selected];
  box.hidden = !interval;
  if (!interval) return;
  byId('detail-name').textContent = nodePath(run, interval.node);
  byId('detail-run').textContent = run.title + ', ' + interval.type;
  byId('detail-places').replaceChildren(...interval.places.slice(0, PLACES_SHOWN).map(name => quotation(run.facts.names[name])));
  eachChart.each = run.each[interval.index] || null;
  eachChart.total = interval.all.execution;
  byId('each').hidden = !eachChart.each;
  byId('detail-none').textContent = eachChart.each ? '' :
      run.lanes < 2                                ? 'One processor: all of it is in the table.' :
                      'What single processors did here is not in this file: there would be too many numbers.';
  renew(eachChart);
}

// The first instance of an interval into the window of the charts over time.
function showInTime(run, interval) {
  let low = Infinity, high = -Infinity, instance = -1;
  for (let k = 0; k < run.count; k++) {
    if (run.node[k] !== interval.node || run.kind[k] > KIND.SKELETON) continue;
    if (instance < 0) instance = run.instance[k];
    if (run.instance[k] !== instance) continue;
    low = Math.min(low, run.begin[k]);
    high = Math.max(high, run.begin[k] + run.duration[k]);
  }
  if (high <= low) return;
  const stretch = stretchOf(run), margin = (high - low) * 0.04;
  setWindow((low - margin) * stretch, (high + margin) * stretch);
  byId('time').scrollIntoView({block: 'start'});
}

function showIntervals(runs) {
  const section = byId('intervals'), having = runs.filter(r => r.intervals.length);
  if (!having.length)
    return section.replaceChildren(
        element('h2', 'Intervals'), element('p.none', 'No intervals were computed for this report.'));
  tree.groups = Object.fromEntries(Object.entries(columnGroups()).filter(([, columns]) => columns.length));
  tree.run = having[0].index;
  for (const interval of having[0].intervals) if (interval.level < 2) tree.open.add(interval.index);
  const choose = byId('tree-run'), choices = having.map(r => [r.title, r.index, false]);
  if (having.length > 1 && report.facts.comparison) choices.push([runs[1].title + ' / ' + runs[0].title, 0, true]);
  choices.forEach(([title, run, ratio], k) => choose.append(choice('tree-run', title, k === 0, () => {
    Object.assign(tree, {run, ratio, selected: -1});
    showTree();
  })));
  choose.hidden = choices.length < 2;
  const group = byId('tree-group');
  for (const name in tree.groups) group.append(element('option', name));
  group.addEventListener('change', () => {
    Object.assign(tree, {group: group.value, sort: -1});
    showTree();
  });
  byId('expand').addEventListener('click', () => {
    report.runs[tree.run].intervals.forEach(i => tree.open.add(i.index));
    showTree();
  });
  byId('collapse').addEventListener('click', () => {
    tree.open.clear();
    tree.open.add(0);
    showTree();
  });
  byId('in-time').addEventListener(
      'click', () => showInTime(report.runs[tree.run], report.runs[tree.run].intervals[tree.selected]));
  byId('tree').addEventListener('keydown', treeKey);
  eachChart = new EachChart(byId('each'));
  showTree();
}

// One of several, as a labelled radio button.
function choice(group, title, checked, chosenNow) {
  const input = element('input');
  Object.assign(input, {type: 'radio', name: group, checked});
  input.addEventListener('change', chosenNow);
  return element('label', input, element('span', title));
}

// Opening the page: data, charts, tables, listeners; printing.

const TIME_CHARTS = [['gantt', Gantt], ['space-time', SpaceTime], ['utilisation', Utilisation], ['memory', Memory], ['traffic', Traffic]];

function showLegend() {
  const legend = byId('legend');
  legend.replaceChildren(...STATES.map((state, k) => {
    const swatch = element('i.swatch');
    swatch.style.background = theme().states[k];
    return element('span', swatch, state);
  }));
  document.documentElement.style.setProperty('--productive', theme().states[0]);
  document.documentElement.style.setProperty('--insufficient', theme().states[4]);
  document.documentElement.style.setProperty('--communication', theme().states[2]);
  document.documentElement.style.setProperty('--idle', theme().states[IDLE]);
}

function makeTimeCharts() {
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) charts.find(c => c.canvas === entry.target).seen = entry.isIntersecting;
    redraw();
  }, {rootMargin: '200px'});
  if (!hasMemory(report.runs)) byId('memory').remove();
  for (const [id, Kind] of TIME_CHARTS.filter(([id]) => byId(id))) {
    const chart = new Kind(byId(id).querySelector('canvas'));
    chart.canvas.tabIndex = 0;
    chart.canvas.setAttribute('role', 'application');
    chart.canvas.setAttribute('aria-describedby', 'help-keys ' + id + '-text');
    for (const what of ['cross', 'instant']) {
      const line = element('div.' + what);
      line.hidden = true;
      chart.canvas.parentElement.append(line);
    }
    listenToPointer(chart);
    listenToWheel(chart);
    listenToKeys(chart);
    watch.observe(chart.canvas);
  }
  new ResizeObserver(() => renew(...charts)).observe(byId('time'));
}

// A sentence for every chart over time, for those who do not see it.
function describeCharts(runs) {
  const say = (id, of) => { byId(id + '-text').textContent = runs.map(r => r.title + ': ' + of(r)).join('. ') + '.'; };
  say('gantt', r => plural(r.kind.reduce((sum, kind) => sum + (kind >= KIND.KERNEL), 0), 'event') + ' on ' + plural(r.lanes, 'processor') + ', ' + formatTime(r.end));
  say('space-time', r => plural(r.messageSend.length, 'message'));
  say('utilisation',
      r => 'on average ' + formatNumber(r.lanes * wholeShares(r).efficiency) + ' of ' + plural(r.lanes, 'processor') +
          ' productive');
  if (byId('memory')) say('memory', memoryText);
  say('traffic',
      r => 'at most ' + plural(peak(r, 'count'), 'message') + ' and ' + formatBytes(peak(r, 'bytes')) +
          ' on their way at once');
}

function peak(run, what) {
  const values = run.flights[what];
  return values.length ? topOf([values, ...run.flights.tops[what]], 0, values.length) : 0;
}

function listenToTools() {
  byId('zoom-in').addEventListener('click', () => zoomTime(1 / 1.6, focusTime()));
  byId('zoom-out').addEventListener('click', () => zoomTime(1.6, focusTime()));
  byId('whole').addEventListener('click', showWhole);
  byId('own').addEventListener('change', change => setOwn(change.target.checked));
  byId('to-match').addEventListener('click', goToMatch);
  byId('to-partner').addEventListener('click', goToPartner);
  byId('zoom-chosen').addEventListener('click', zoomToChosen);
  byId('close').addEventListener('click', unselect);
  document.addEventListener('keydown', key => {
    if (key.key === 'Escape') hideTip();
  });
}

function listenToSurroundings() {
  const again = () => {
    showLegend();
    showSizeLegend();
    if (matrices.list.length && byId('ramp')) paintRamp();
    if (selection.run >= 0) showInspector();
    renew(...charts);
  };
  DARK.addEventListener('change', again);
  let closed = []; // on paper nothing can be opened
  const printing = on => {
    if (on) closed = [...document.querySelectorAll('details:not([open], .help)')];
    for (const details of closed) details.open = on;
    view.printing = on;
    showLegend();
    if (matrices.list.length && byId('ramp')) paintRamp();
    drawAll();
  };
  window.addEventListener('beforeprint', () => printing(true));
  window.addEventListener('afterprint', () => {
    for (const chart of charts) chart.stale = true;
    printing(false);
  });
}

async function openReport() {
  const facts = report.facts = JSON.parse(byId('facts').textContent);
  byId('title').textContent = facts.title;
  const runs = report.runs = await Promise.all(facts.runs.map(readRun));
  linkMatches(runs);
  for (const run of runs) {
    prepareRun(run);
    nameIntervals(run);
  }
  report.longest = Math.max(1, ...runs.map(r => r.end));
  report.lanes = Math.max(...runs.map(r => r.lanes));
  view.to = report.longest;
  byId('subtitle').textContent = runs.map(r => r.title + ' on ' + r.facts.machine + ', ' + plural(r.lanes, 'processor'))
                                     .join('\u2002\u00b7\u2002');
  showAnswer(facts.answer);
  showLegend();
  showSummary(runs);
  showScaling(facts.scaling);
  makeTimeCharts();
  listenToSizes(runs);
  describeCharts(runs);
  showMatrices(runs);
  showNetwork(runs);
  showLinks(runs);
  showIntervals(runs);
  showComparison(runs);
  byId('own-choice').hidden = runs.length < 2;
  listenToTools();
  listenToSurroundings();
  drawAll();
}

openReport().then(() => {
  document.documentElement.dataset.ready = Math.round(performance.now());
}, error => {
  byId('title').textContent = 'This report cannot be shown: ' + error.message;
  throw error;
});

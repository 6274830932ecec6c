// Messages coloured by their size: classes of sizes that all runs share, and their legend. Document 000, figures 5-6,
// 5-14 and 5-25.

const MOST_CLASSES = 6;
const sizes = {on: false, limits: []}; // limits[c]: the largest size of class c

// One class a size if there are few, otherwise classes of equal ratios.
function classLimits(runs) {
  const all = new Set();
  for (const run of runs)
    for (const send of run.messageSend) all.add(run.amount[send]);
  const known = [...all].sort((a, b) => a - b);
  if (known.length <= MOST_CLASSES) return known;
  const least = Math.max(1, known[0]), ratio = Math.pow(known[known.length - 1] / least, 1 / MOST_CLASSES);
  const limits = Array.from({length: MOST_CLASSES}, (_, c) => Math.round(least * Math.pow(ratio, c + 1)));
  limits[MOST_CLASSES - 1] = known[known.length - 1];
  return limits;
}

function sizeClass(bytes) {
  const found = sizes.limits.findIndex(limit => bytes <= limit);
  return found < 0 ? Math.max(0, sizes.limits.length - 1) : found;
}

// Classes are spread over the colours, so that the largest has the last one.
function sizeColour(index) {
  const colours = theme().sizes, last = sizes.limits.length - 1;
  return colours[last > 0 ? Math.round(index * (colours.length - 1) / last) : 0];
}

// The colour of a message's line, and what it is in the order in which lines are drawn.
function messageClass(run, message) {
  return sizes.on ? sizeClass(run.amount[run.messageSend[message]]) : 0;
}

function classColour(index) {
  return sizes.on ? sizeColour(index) : theme().message;
}

function showSizeLegend() {
  const legend = byId('size-legend');
  legend.hidden = !sizes.on;
  legend.replaceChildren(...sizes.limits.map((limit, c) => {
    const mark = element('i.mark.line');
    mark.style.borderTopColor = sizeColour(c);
    return element('span', mark, (c > 0 && limit > sizes.limits[c - 1] + 1 && sizes.limits.length === MOST_CLASSES ? '\u2264\u2009' : '') +
      formatBytes(limit));
  }));
}

function listenToSizes(runs) {
  const choice = byId('by-size');
  sizes.limits = classLimits(runs);
  choice.parentElement.hidden = sizes.limits.length < 2;
  choice.addEventListener('change', () => {
    sizes.on = choice.checked;
    showSizeLegend();
    renew(...charts.filter(chart => chart instanceof SpaceTime));
  });
}

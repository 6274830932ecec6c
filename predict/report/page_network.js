// A topology under the runs: the messages on every link at an instant, or its load over the window; play and step.
// Document 000, figures 5-17, 5-18 and 6-6.
//
// A message is on all links of its route from its send's begin to its receive's end: a trace does not say where it is.
// Instants are on the axis of the charts over time, which show them as a line.

const MOST_FLIGHTS = 60000, PLAY_SECONDS = 12;
const network = {topologies: [], chosen: null, what: 'count', window: false, time: 0, playing: false, most: 1};

// Where the routes of every pair begin in topology.routes, by from * processors + to.
function routeStarts(topology) {
  if (topology.starts) return topology.starts;
  topology.starts = new Map();
  for (let k = 0; k < topology.routes.length; k += 3 + topology.routes[k + 2])
    topology.starts.set(topology.routes[k] * topology.processors + topology.routes[k + 1], k + 2);
  return topology.starts;
}

function nodeLabel(topology, node) {
  return node < topology.processors ? 'processor ' + node : 'switch ' + node;
}

// Messages that are on their way, and how many each stands for.
function flightsNow(run) {
  const stretch = stretchOf(run);
  if (network.window) return visibleMessages(run, view.from / stretch, view.to / stretch, MOST_FLIGHTS);
  const time = network.time / stretch, found = visibleMessages(run, time, time, Infinity);
  return {
    every: 1,
    messages: found.messages.filter(
        m => run.messageEnd[m] > time || (run.messageBegin[m] === time && run.messageEnd[m] === time))
  };
}

// Messages and bytes on every link.
function linkLoads(run, topology) {
  const starts = routeStarts(topology), {every, messages} = flightsNow(run);
  const count = new Float64Array(topology.links.length), bytes = new Float64Array(topology.links.length);
  for (const message of messages) {
    const send = run.messageSend[message];
    const at = starts.get(run.lane[send] * topology.processors + run.peer[send]);
    if (at === undefined) continue;
    for (let k = 1; k <= topology.routes[at]; k++) {
      count[topology.routes[at + k]] += every;
      bytes[topology.routes[at + k]] += every * run.amount[send];
    }
  }
  return {count, bytes, messages: messages.length * every, exact: every === 1};
}

// ---- the picture ----

class NetworkPicture extends Topology {
  constructor(figure, run) {
    super(figure, run);
    this.note = figure.querySelector('.note');
    this.overTime = true; // it changes with the window
  }

  links() {
    const {links, x, y} = network.chosen;
    return links.map(
        ([a, b], k) => [nodeLabel(network.chosen, a), nodeLabel(network.chosen, b), x[a], y[a], x[b], y[b], 0, 0, 0, k]);
  }

  places() {
    const {x, y} = network.chosen;
    return {xs: x, ys: y};
  }

  draw() {
    this.load = linkLoads(this.run, network.chosen);
    super.draw();
    this.describe();
  }

  describe() {
    const what = network.window ? 'in the window' : 'at ' + formatTime(network.time / stretchOf(this.run), 4);
    const busy = this.load.count.filter(v => v > 0).length, most = Math.max(0, ...this.load.count);
    const text = (this.load.exact ? '' : 'about ') + plural(Math.round(this.load.messages), 'message') + ' ' + what + ', on ' + plural(busy, 'link') +
        ', at most ' + formatCount(most) + ' on one';
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  shareOf(line) {
    return this.load[network.what][line.link[9]] / network.most;
  }

  // The busiest on top.
  order() {
    return [...this.lines].sort((a, b) => this.shareOf(a) - this.shareOf(b));
  }

  paintNodes(pen, step, place) {
    const topology = network.chosen, {run} = this, size = Math.max(2.5, Math.min(9, this.unit() / 4));
    const time = network.time / stretchOf(run), colours = theme();
    pen.font = SMALL;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    topology.x.forEach((nodeX, node) => {
      const [x, y] = place(nodeX, topology.y[node]);
      if (node >= topology.processors) {
        pen.fillStyle = colours.soft;
        pen.beginPath();
        pen.arc(x, y, Math.max(1.5, size / 2.5), 0, 7);
        pen.fill();
        return;
      }
      pen.fillStyle = colours.states[node < run.lanes && !network.window ? stateAt(run, node, time) : IDLE];
      pen.strokeStyle = colours.soft;
      pen.lineWidth = 1;
      pen.fillRect(x - size, y - size, 2 * size, 2 * size);
      pen.strokeRect(x - size, y - size, 2 * size, 2 * size);
      if (size >= 7) {
        pen.fillStyle = inkOn(pen.fillStyle);
        pen.fillText(String(node), x, y + 0.5);
      }
    });
    if (this.lines.length <= 300 && !network.window) this.paintNumbers(pen);
  }

  // How many messages are on a link, nearer to where they come from, so that those of both directions stand apart.
  paintNumbers(pen) {
    for (const line of this.lines) {
      const count = this.load.count[line.link[9]];
      if (count < 2) continue;
      const x = 0.49 * line.ax + 0.42 * line.cx + 0.09 * line.bx, y = 0.49 * line.ay + 0.42 * line.cy + 0.09 * line.by;
      pen.lineWidth = 3;
      pen.strokeStyle = theme().paper;
      pen.fillStyle = theme().ink;
      pen.strokeText(formatCount(count), x, y);
      pen.fillText(formatCount(count), x, y);
    }
  }

  told(link) {
    return [
      ['messages', formatCount(this.load.count[link[9]])], ['bytes', formatBytes(this.load.bytes[link[9]])]
    ];
  }
}

// What a processor does at a time.
function stateAt(run, lane, time) {
  const leaf = firstAfter(run.leafEnd, time, run.leafStart[lane], run.leafStart[lane + 1]);
  return leaf < run.leafStart[lane + 1] && run.leafBegin[leaf] <= time ? run.leafState[leaf] : IDLE;
}

// ---- time ----

function networkPictures() {
  return charts.filter(chart => chart instanceof NetworkPicture);
}

function largest(run) {
  return run.messageSend.reduce((most, send) => Math.max(most, run.amount[send]), 0);
}

// Colours mean the same in all runs and at all instants: three of the largest messages have the full one.
function scaleNetwork() {
  const of = run => {
    if (!network.window) return Math.min(3, peak(run, 'count')) * (network.what === 'bytes' ? largest(run) : 1);
    return Math.max(1, ...linkLoads(run, network.chosen)[network.what]);
  };
  network.most = Math.max(1, ...report.runs.map(of));
}

function showInstant() {
  for (const line of document.querySelectorAll('.instant')) {
    const chart = charts.find(c => c.canvas === line.parentElement.querySelector('canvas'));
    const x = chart && chart.page ? xOf(chart.page, network.time) : -1;
    line.hidden = network.window || !network.chosen || x < LEFT || x > line.parentElement.clientWidth - RIGHT;
    line.style.left = x + 'px';
  }
  byId('network-slider').value = 1000 * network.time / report.longest;
}

function setInstant(time) {
  network.time = Math.max(0, Math.min(report.longest, time));
  document.documentElement.dataset.instant = network.time;
  renew(...networkPictures());
  showInstant();
}

// The next instant, or the one before, at which a message leaves or arrives.
function stepInstant(direction) {
  const next = report.runs.map(run => {
    const {time} = run.flights, stretch = stretchOf(run), now = network.time / stretch;
    let at = firstAfter(time, now + (direction > 0 ? 1e-6 * now : 0), 0, time.length);
    if (direction < 0)
      for (at--; at >= 0 && time[at] >= now - 1e-6 * now; at--);
    return at >= 0 && at < time.length ? time[at] * stretch : NaN;
  });
  const known = next.filter(time => !Number.isNaN(time));
  network.playing = false;
  showPlaying();
  if (known.length) setInstant(direction > 0 ? Math.min(...known) : Math.max(...known));
}

function showPlaying() {
  byId('network-play').textContent = network.playing ? 'Pause' : 'Play';
}

function play() {
  let last = performance.now();
  const tick = now => {
    if (!network.playing) return;
    const next = network.time + (now - last) / 1000 / PLAY_SECONDS * (view.to - view.from);
    last = now;
    network.playing = next < view.to;
    setInstant(Math.min(next, view.to));
    showPlaying();
    if (network.playing) requestAnimationFrame(tick);
  };
  network.playing = !network.playing;
  if (network.playing && (network.time >= view.to || network.time < view.from)) network.time = view.from;
  showPlaying();
  if (network.playing) requestAnimationFrame(tick);
}

// ---- the section ----

function chooseTopology(number) {
  network.chosen = network.topologies[number];
  byId('network-whole').hidden = network.chosen.whole;
  for (const picture of networkPictures()) picture.shortest = 0;
  scaleNetwork();
  renew(...networkPictures());
}

function listenToNetwork() {
  const again = () => {
    scaleNetwork();
    setInstant(network.time);
  };
  byId('network-topology').addEventListener('change', change => chooseTopology(Number(change.target.value)));
  for (const choice of document.querySelectorAll('input[name=network-what]'))
    choice.addEventListener('change', () => {
      network.what = choice.value;
      again();
    });
  for (const choice of document.querySelectorAll('input[name=network-when]'))
    choice.addEventListener('change', () => {
      network.window = choice.value === 'window';
      network.playing = false;
      showPlaying();
      for (const tool of document.querySelectorAll('#network .timing')) tool.hidden = network.window;
      again();
    });
  byId('network-play').addEventListener('click', play);
  byId('network-back').addEventListener('click', () => stepInstant(-1));
  byId('network-on').addEventListener('click', () => stepInstant(1));
  byId('network-slider').addEventListener('input', slide => setInstant(slide.target.value / 1000 * report.longest));
}

// The instant with most messages is what one wants to see first.
function busiestInstant(runs) {
  const {time, count} = runs[0].flights;
  let best = 0;
  for (let k = 1; k < time.length; k++) if (count[k] > count[best]) best = k;
  return time.length ? time[best] * stretchOf(runs[0]) : 0;
}

function showNetwork(runs) {
  const most = Math.max(...runs.map(r => r.lanes));
  network.topologies = report.facts.topologies.filter(t => t.processors >= most);
  if (!network.topologies.length || runs.every(r => !r.messageSend.length)) return byId('network').remove();
  byId('network-topology').replaceChildren(...network.topologies.map((t, k) => {
    const option = element('option', t.name);
    option.value = k;
    return option;
  }));
  network.chosen = network.topologies[0];
  for (const run of runs) {
    const figure = element(
        'figure', element('figcaption', element('strong', run.title), ' ', element('span.note')), element('canvas'));
    const canvas = figure.querySelector('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', 'Messages on the links of the topology; the text above says how many.');
    byId('network-figures').append(figure);
    new NetworkPicture(figure, run);
  }
  listenToNetwork();
  chooseTopology(0);
  setInstant(busiestInstant(runs));
}

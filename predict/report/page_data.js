// Reading the columns: base64, deflate, numbers of 7 bits a byte, differences. report_columns.c writes them.

const KIND = {REGION: 0, SKELETON: 1, KERNEL: 2, SEND: 3, RECEIVE: 4, WAIT: 5, FILE: 6, COLLECTIVE: 7};
const KIND_NAMES = ['region', 'skeleton call', 'kernel', 'send', 'receive', 'wait', 'file', 'collective'];

// What a processor does, in the order of colours: leaves by kind - 2, then the first two parts of a receive (waiting for
// its sender, and the transport of the message; the rest is `receiving`), and idle.
const STATES = ['computing', 'sending', 'receiving', 'waiting for own sends', 'file', 'in a collective operation',
  'waiting for a message', 'message under way', 'idle'];
const AWAITING = 6, UNDER_WAY = 7, IDLE = 8;

class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  unsigned() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127, scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }

  signed() {
    return unfold(this.unsigned());
  }
}

// 0, 1, 2, 3, 4 are 0, -1, 1, -2, 2.
function unfold(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

function bytesOfText(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A column of differences to the number before.
function readDifferences(from, to) {
  for (let k = 0, value = 0; k < to.length; k++) to[k] = value += from.signed();
  return to;
}

function readLanesAndTimes(from, run) {
  run.start = new Int32Array(run.lanes + 1);
  for (let lane = 0; lane < run.lanes; lane++) run.start[lane + 1] = run.start[lane] + from.unsigned();
  const n = run.start[run.lanes];
  run.count = n;
  run.lane = new Int32Array(n);
  for (let lane = 0; lane < run.lanes; lane++) run.lane.fill(lane, run.start[lane], run.start[lane + 1]);
  run.kind = new Uint8Array(n);
  for (let k = 0; k < n; k++) run.kind[k] = from.unsigned();
  run.duration = new Float64Array(n);
  for (let k = 0; k < n; k++) if (isLeaf(run, k)) run.duration[k] = from.unsigned();
  readBegins(from, run);
  readEnds(from, run);
}

function isLeaf(run, event) {
  return run.kind[event] > KIND.SKELETON;
}

// 0: where the leaves before end, or the event before begins if that is later; 1: with the event before; otherwise how
// far from the first.
function readBegins(from, run) {
  run.begin = new Float64Array(run.count);
  for (let lane = 0; lane < run.lanes; lane++)
    for (let k = run.start[lane], reached = 0, before = 0; k < run.start[lane + 1]; k++) {
      const value = from.unsigned();
      before = run.begin[k] = value === 0 ? reached : value === 1 ? before : reached + unfold(value - 2);
      reached = Math.max(reached, isLeaf(run, k) ? before + run.duration[k] : before);
    }
}

// Of regions and calls, the last first: how many events on the last inside is, and how much later they end.
function readEnds(from, run) {
  for (let k = run.count - 1; k >= 0; k--) {
    if (isLeaf(run, k)) continue;
    const last = k + from.unsigned(), end = last > k ? run.begin[last] + run.duration[last] : run.begin[k];
    run.duration[k] = end + from.signed() - run.begin[k];
  }
}

function readContents(from, run) {
  const n = run.count, amount = new Array(8).fill(0);
  run.amount = new Float64Array(n);
  for (let k = 0; k < n; k++) run.amount[k] = amount[run.kind[k]] += from.signed();
  run.name = new Uint16Array(n);
  for (let k = 0; k < n; k++) if (run.kind[k] === KIND.KERNEL || run.kind[k] === KIND.COLLECTIVE) run.name[k] = from.unsigned();
  run.peer = new Int32Array(n).fill(-1);
  for (let k = 0; k < n; k++)
    if (run.kind[k] === KIND.SEND || run.kind[k] === KIND.RECEIVE) run.peer[k] = run.lane[k] + from.signed();
  run.below = run.above = null;
  if (!from.unsigned()) return;
  run.below = new Float32Array(n);
  run.above = new Float32Array(n);
  for (let k = 0; k < n; k++) run.below[k] = from.signed();
  for (let k = 0; k < n; k++) run.above[k] = run.below[k] + from.signed();
}

// 0 is none; the others are differences to what is expected.
function readOptional(from, expected) {
  const value = from.unsigned();
  return value === 0 ? -1 : expected + unfold(value - 1);
}

function readOthers(from, run) {
  run.partner = new Int32Array(run.count).fill(-1);
  for (let k = 0; k < run.count; k++) {
    if (run.kind[k] !== KIND.SEND) continue;
    const receive = readOptional(from, k - run.start[run.lane[k]] + run.start[run.peer[k]]);
    if (receive < 0) continue;
    run.partner[k] = receive;
    run.partner[receive] = k;
  }
  run.match = null;
  if (!from.unsigned()) return;
  run.match = new Int32Array(run.count);
  for (let k = 0, expected = 0; k < run.count; k++) {
    run.match[k] = readOptional(from, expected);
    if (run.match[k] >= 0) expected = run.match[k] + 1;
  }
}

function readEach(from, run) {
  const parts = ['productive', 'insufficient', 'communication'], longest = report.facts.columns.indexOf('execution');
  run.each = [];
  for (let k = 0; k < run.facts.detailed; k++) {
    const each = {productive: [], insufficient: [], communication: [], idle: []};
    for (let p = 0; p < run.lanes; p++) {
      let left = run.facts.intervals[k].all[longest];
      for (const part of parts) {
        const value = from.signed();
        each[part].push(value);
        left -= value;
      }
      each.idle.push(left + from.signed());
    }
    run.each.push(each);
  }
}

// What processors hold from which time on: of every lane its times, and its bytes.
function readHeld(from, run) {
  run.held = Array.from({length: run.lanes}, () => ({time: [], bytes: []}));
  run.heldMost = {bytes: 0, lane: -1, time: 0};
  for (let k = from.unsigned(), time = 0, bytes = 0, last = -1; k > 0; k--) {
    const lane = from.unsigned();
    if (lane !== last) time = bytes = 0;
    time += from.unsigned();
    bytes += from.signed();
    run.held[lane].time.push(time);
    run.held[lane].bytes.push(bytes);
    if (bytes > run.heldMost.bytes) run.heldMost = {bytes, lane, time};
    last = lane;
  }
}

// A run with its columns; text is taken out of the page to give its memory back.
async function readRun(facts, index) {
  const holder = byId('columns' + index);
  const from = new Numbers(await inflate(bytesOfText(holder.textContent)));
  holder.remove();
  const run = {facts, index, title: facts.name, lanes: facts.processors, end: facts.end};
  readLanesAndTimes(from, run);
  run.node = readDifferences(from, new Uint32Array(run.count));
  run.instance = readDifferences(from, new Uint32Array(run.count));
  run.round = readDifferences(from, new Uint32Array(run.count));
  readContents(from, run);
  readOthers(from, run);
  readEach(from, run);
  readHeld(from, run);
  return run;
}

// The measured run knows its matches; the predicted one gets them from there.
function linkMatches(runs) {
  if (runs.length < 2 || !runs[0].match) return;
  const back = new Int32Array(runs[1].count).fill(-1);
  runs[0].match.forEach((match, event) => {
    if (match >= 0) back[match] = event;
  });
  runs[1].match = back;
}

// ---- words for events and nodes ----

function nodeName(run, node) {
  return run.facts.names[run.facts.nodes[node][1]] || NONE;
}

function nodePath(run, node) {
  const parts = [];
  for (let at = node; ; at = run.facts.nodes[at][0]) {
    parts.unshift(nodeName(run, at));
    if (at === 0) return parts.join(' \u203a ');
  }
}

function eventName(run, event) {
  const kind = run.kind[event], name = run.name[event];
  if (kind === KIND.KERNEL) return name ? run.facts.names[name] : nodeName(run, run.node[event]);
  if (kind === KIND.SEND) return 'send to ' + run.peer[event];
  if (kind === KIND.RECEIVE) return 'receive from ' + run.peer[event];
  if (kind === KIND.WAIT) return 'wait for own sends';
  if (kind === KIND.FILE) return 'file';
  if (kind === KIND.COLLECTIVE) return name ? run.facts.names[name] : 'collective';
  return nodeName(run, run.node[event]);
}

function eventAmount(run, event) {
  const kind = run.kind[event];
  if (kind === KIND.SEND || kind === KIND.RECEIVE || kind === KIND.FILE || kind === KIND.COLLECTIVE) return formatBytes(run.amount[event]);
  return run.amount[event] > 0 ? plural(run.amount[event], 'element') : '';
}

// What a receiver spends on a message of that size itself, as far as the prediction says.
function receiveWork(run, bytes) {
  const known = run.facts.receives;
  const at = known.findIndex(([size]) => size >= bytes);
  if (!known.length) return 0;
  if (at < 0) return known[known.length - 1][1];
  if (at === 0 || known[at][0] === bytes) return known[at][1];
  const [[low, a], [high, b]] = [known[at - 1], known[at]];
  return a + (b - a) * (bytes - low) / (high - low);
}

// The parts of a receive in nanoseconds: until its sender sends, until the message is there, and taking it. Measured
// runs do not tell the last two apart: both are transport.
function receiveParts(run, event) {
  const begin = run.begin[event], duration = run.duration[event], send = run.partner[event];
  const work = Math.min(duration, receiveWork(run, run.amount[event]));
  const waiting = send < 0 ? 0 : Math.max(0, Math.min(duration - work, run.begin[send] - begin));
  return {waiting, transport: send < 0 ? 0 : duration - work - waiting, work: send < 0 ? duration : work};
}

function eventInterval(run, event) {
  if (!run.above || run.above[event] + run.below[event] <= 0) return '';
  const duration = run.duration[event];
  return formatRange(Math.max(0, duration - run.below[event]), duration + run.above[event]);
}

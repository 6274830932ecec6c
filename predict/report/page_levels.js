// Levels of detail: what a frame needs of a run, at a cost that depends on the pixels and not on the events.
//
// Leaves (events that are not regions or calls) of a lane are made disjoint: where several receives are under way at
// once, the processor receives once. Of few visible leaves every one is added up pixel by pixel. Of many, a pyramid
// answers: the base holds, by group of lanes and bin of time, how much of it each state took; every level above it has
// half as many bins. Messages are thinned out by a hash of their number, so that the same ones stay when the
// window moves.

const EXACT_LEAVES = 150000;
const PYRAMID_ROWS = 256;
const PYRAMID_CELLS = 1 << 21;
const TOTAL_BINS = 1 << 16;
const FLIGHT_BLOCK = 64;
const LEAF_STATES = 8;

// Positions of increasing keys in [0, most], equal ones in their order: as many bins as keys, each sorted by itself.
function orderOf(keys, most) {
  const n = keys.length, scale = most > 0 ? Math.max(0, n - 1) / most : 0;
  const start = new Int32Array(n + 1), order = new Int32Array(n);
  for (let k = 0; k < n; k++) start[Math.floor(keys[k] * scale) + 1]++;
  for (let b = 0; b < n; b++) start[b + 1] += start[b];
  const place = start.slice();
  for (let k = 0; k < n; k++) order[place[Math.floor(keys[k] * scale)]++] = k;
  for (let b = 0; b < n; b++)
    if (start[b + 1] - start[b] > 1) order.subarray(start[b], start[b + 1]).sort((x, y) => keys[x] - keys[y] || x - y);
  return order;
}

// The first place in [low, high) whose value is more than `value`; values do not decrease.
function firstAfter(values, value, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

// A receive is up to three leaves: waiting, transport, and taking the message.
function findLeaves(run) {
  let leaves = 0;
  for (let k = 0; k < run.count; k++)
    leaves += run.kind[k] < KIND.KERNEL ? 0 : run.kind[k] === KIND.RECEIVE ? 3 : 1;
  run.leaf = new Int32Array(leaves);
  run.leafState = new Uint8Array(leaves);
  run.leafStart = new Int32Array(run.lanes + 1);
  run.leafBegin = new Float64Array(leaves);
  run.leafEnd = new Float64Array(leaves);
  let at = 0, busy = 0;
  const add = (event, state, begin, end) => {
    run.leaf[at] = event;
    run.leafState[at] = state;
    run.leafBegin[at] = Math.max(busy, begin);
    run.leafEnd[at++] = busy = Math.max(busy, end);
  };
  const addReceive = event => {
    const {waiting, transport} = receiveParts(run, event), begin = run.begin[event], end = begin + run.duration[event];
    if (waiting > 0) add(event, AWAITING, begin, begin + waiting);
    if (transport > 0) add(event, UNDER_WAY, begin + waiting, begin + waiting + transport);
    if (waiting + transport < run.duration[event] || run.duration[event] === 0)
      add(event, KIND.RECEIVE - KIND.KERNEL, begin + waiting + transport, end);
  };
  for (let lane = 0; lane < run.lanes; lane++) {
    busy = 0;
    for (let k = run.start[lane]; k < run.start[lane + 1]; k++) {
      if (run.kind[k] === KIND.RECEIVE) addReceive(k);
      else if (run.kind[k] >= KIND.KERNEL) add(k, run.kind[k] - KIND.KERNEL, run.begin[k], run.begin[k] + run.duration[k]);
    }
    run.leafStart[lane + 1] = at;
  }
  for (const name of ['leaf', 'leafState', 'leafBegin', 'leafEnd']) run[name] = run[name].slice(0, at);
}

// ---- adding up ----

// The part of every pixel of sum[at .. at + width) that x0 .. x1 covers.
function addSpan(sum, at, width, x0, x1) {
  const a = Math.max(0, x0), b = Math.min(width, x1);
  if (b <= a) return;
  const first = Math.floor(a), last = Math.min(width - 1, Math.floor(b));
  if (first === last) {
    sum[at + first] += b - a;
    return;
  }
  sum[at + first] += first + 1 - a;
  for (let x = first + 1; x < last; x++) sum[at + x] += 1;
  sum[at + last] += b - last;
}

// Leaves first .. last of a lane that are seen between two times.
function visibleLeaves(run, lane, from, to) {
  const low = run.leafStart[lane], high = run.leafStart[lane + 1];
  const first = firstAfter(run.leafEnd, from, low, high);
  return [first, firstAfter(run.leafBegin, to, first, high)];
}

function countLeaves(run, lane0, lane1, from, to) {
  let count = 0;
  for (let lane = lane0; lane < lane1; lane++) {
    const [first, last] = visibleLeaves(run, lane, from, to);
    count += last - first;
  }
  return count;
}

function addLane(run, lane, from, to, width, sum, at) {
  const [first, last] = visibleLeaves(run, lane, from, to), scale = width / (to - from);
  for (let k = first; k < last; k++) {
    addSpan(sum, at + run.leafState[k] * width, width, (run.leafBegin[k] - from) * scale, (run.leafEnd[k] - from) * scale);
  }
}

// ---- the pyramid ----

// Adds a leaf to bins: whole bins by their ends in `steps`, parts of bins in `parts`.
function addToBins(parts, steps, at, x0, x1) {
  const first = Math.floor(x0), last = Math.floor(x1);
  if (first === last) {
    parts[at + first] += x1 - x0;
    return;
  }
  parts[at + first] += first + 1 - x0;
  parts[at + last] += x1 - last;
  steps[at + first + 1] += 1;
  steps[at + last] -= 1;
}

function fillRow(run, lane0, lane1, bins, parts, steps) {
  parts.fill(0);
  steps.fill(0);
  const scale = bins / Math.max(1, run.end);
  for (let k = run.leafStart[lane0]; k < run.leafStart[lane1]; k++) {
    const at = run.leafState[k] * (bins + 2);
    addToBins(parts, steps, at, run.leafBegin[k] * scale, run.leafEnd[k] * scale);
  }
}

// Half as many bins.
function halve(cells, rows, bins) {
  const half = bins / 2, made = new Uint8Array(rows * half * LEAF_STATES);
  for (let row = 0; row < rows; row++)
    for (let b = 0; b < half; b++) {
      const to = (row * half + b) * LEAF_STATES, from = (row * bins + 2 * b) * LEAF_STATES;
      for (let s = 0; s < LEAF_STATES; s++) made[to + s] = (cells[from + s] + cells[from + s + LEAF_STATES] + 1) >> 1;
    }
  return made;
}

function buildPyramid(run) {
  const perRow = Math.ceil(run.lanes / PYRAMID_ROWS), rows = Math.ceil(run.lanes / perRow);
  let bins = 1024;
  while (bins * 2 * rows <= PYRAMID_CELLS && bins * 32 < run.leaf.length) bins *= 2;
  let cells = new Uint8Array(rows * bins * LEAF_STATES);
  const parts = new Float32Array(LEAF_STATES * (bins + 2)), steps = new Float32Array(LEAF_STATES * (bins + 2));
  for (let row = 0; row < rows; row++) {
    const lane0 = row * perRow, lane1 = Math.min(run.lanes, lane0 + perRow);
    fillRow(run, lane0, lane1, bins, parts, steps);
    for (let s = 0; s < LEAF_STATES; s++)
      for (let b = 0, whole = 0, at = s * (bins + 2); b < bins; b++) {
        whole += steps[at + b];
        cells[(row * bins + b) * LEAF_STATES + s] =
            Math.min(255, 255 * (whole + parts[at + b]) / (lane1 - lane0) + 0.5);
      }
  }
  run.pyramid = {rows, perRow, levels: []};
  for (; ; bins /= 2) {
    run.pyramid.levels.push({bins, cells});
    if (bins <= 512) return;
    cells = halve(cells, rows, bins);
  }
}

// Time in every state up to every bin, over all processors.
function buildTotals(run) {
  const parts = new Float32Array(LEAF_STATES * (TOTAL_BINS + 2)), steps = new Float32Array(parts.length);
  fillRow(run, 0, run.lanes, TOTAL_BINS, parts, steps);
  run.totals = [];
  for (let s = 0; s < LEAF_STATES; s++) {
    const sums = new Float64Array(TOTAL_BINS + 1), at = s * (TOTAL_BINS + 2);
    for (let b = 0, whole = 0; b < TOTAL_BINS; b++) {
      whole += steps[at + b];
      sums[b + 1] = sums[b] + whole + parts[at + b];
    }
    run.totals.push(sums);
  }
}

function addPyramidRow(run, lane0, lane1, from, to, width, sum, at) {
  const {rows, perRow, levels} = run.pyramid, perPixel = (to - from) / width;
  let level = levels.find(l => run.end / l.bins > perPixel / 2) || levels[levels.length - 1];
  const row0 = Math.min(rows - 1, Math.floor(lane0 / perRow));
  const row1 = Math.max(row0 + 1, Math.min(rows, Math.ceil(lane1 / perRow)));
  const scale = level.bins / Math.max(1, run.end), weight = (lane1 - lane0) / (255 * (row1 - row0));
  for (let x = 0; x < width; x++) {
    // Bins that begin where a pixel does are its own, however their ends are rounded.
    const b0 = Math.floor((from + x * perPixel) * scale + 1e-6),
          b1 = Math.max(b0 + 1, Math.floor((from + (x + 1) * perPixel) * scale + 1e-6));
    for (let b = Math.max(0, b0); b < Math.min(level.bins, b1); b++)
      for (let row = row0; row < row1; row++)
        for (let s = 0, cell = (row * level.bins + b) * LEAF_STATES; s < LEAF_STATES; s++)
          sum[at + s * width + x] += level.cells[cell + s] * weight / (b1 - b0);
  }
}

// The shares of the states in every pixel of rows lane[r] .. lane[r + 1]: [row][state][x], each 0 to 1.
function rowShares(run, lane, from, to, width) {
  const rows = lane.length - 1, size = LEAF_STATES * width, sum = new Float32Array(rows * size);
  const exact = countLeaves(run, lane[0], lane[rows], from, to) <= EXACT_LEAVES;
  for (let row = 0; row < rows; row++) {
    const at = row * size, lanes = lane[row + 1] - lane[row];
    if (!exact) addPyramidRow(run, lane[row], lane[row + 1], from, to, width, sum, at);
    for (let l = lane[row]; exact && l < lane[row + 1]; l++) addLane(run, l, from, to, width, sum, at);
    for (let k = at; lanes > 1 && k < at + size; k++) sum[k] /= lanes;
  }
  return {sum, exact};
}

// How many processors are in every state, on average over every pixel: [state][x].
function totalCounts(run, from, to, width) {
  const sum = new Float32Array(LEAF_STATES * width);
  if (countLeaves(run, 0, run.lanes, from, to) <= EXACT_LEAVES) {
    for (let lane = 0; lane < run.lanes; lane++) addLane(run, lane, from, to, width, sum, 0);
    return sum;
  }
  const scale = TOTAL_BINS / Math.max(1, run.end), perPixel = (to - from) / width;
  run.totals.forEach((sums, s) => {
    const until = time => {
      const at = Math.min(TOTAL_BINS, Math.max(0, time * scale)), b = Math.min(TOTAL_BINS - 1, Math.floor(at));
      return sums[b] + (sums[b + 1] - sums[b]) * (at - b);
    };
    for (let x = 0, before = until(from); x < width; x++) {
      const after = until(from + (x + 1) * perPixel);
      sum[s * width + x] = (after - before) / (perPixel * scale);
      before = after;
    }
  });
  return sum;
}

// ---- messages ----

// Sends that have a receive, by their time, with both ends.
function findMessages(run) {
  const isSent = k => run.kind[k] === KIND.SEND && run.partner[k] >= 0;
  let n = 0, at = 0;
  for (let k = 0; k < run.count; k++) n += isSent(k);
  const sends = new Int32Array(n), begin = new Float64Array(n);
  for (let k = 0; k < run.count; k++) if (isSent(k)) {
    sends[at] = k;
    begin[at++] = run.begin[k];
  }
  const order = orderOf(begin, run.end);
  run.messageSend = new Int32Array(n);
  run.messageBegin = new Float64Array(n);
  run.messageEnd = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const send = run.messageSend[k] = sends[order[k]], receive = run.partner[send];
    run.messageBegin[k] = run.begin[send];
    run.messageEnd[k] = run.begin[receive] + run.duration[receive];
  }
  sampleMessages(run);
}

// All messages, every second one, every fourth ..: each sample is a part of the one before.
function sampleMessages(run) {
  let kept = new Int32Array(run.messageSend.length);
  for (let k = 0; k < kept.length; k++) kept[k] = k;
  run.samples = [];
  for (let every = 1; ; every *= 2) {
    run.samples.push({every, kept, latest: latestEnds(run, kept)});
    if (kept.length < 2000) return;
    let left = 0;
    const next = new Int32Array(kept.length);
    for (let k = 0; k < kept.length; k++)
      if ((Math.imul(kept[k] + 1, 0x9e3779b1) >>> 8) % (2 * every) === 0) next[left++] = kept[k];
    kept = next.slice(0, left);
  }
}

// The latest arrival of every block of a sample.
function latestEnds(run, kept) {
  const latest = new Float64Array(Math.ceil(kept.length / FLIGHT_BLOCK));
  for (let k = 0; k < kept.length; k++) {
    const block = Math.floor(k / FLIGHT_BLOCK);
    latest[block] = Math.max(latest[block], run.messageEnd[kept[k]]);
  }
  return latest;
}

function messagesOf(run, sample, from, to, most) {
  const found = [];
  for (let block = 0; block < sample.latest.length; block++) {
    const first = block * FLIGHT_BLOCK;
    if (run.messageBegin[sample.kept[first]] > to) break;
    if (sample.latest[block] < from) continue;
    for (let k = first; k < Math.min(first + FLIGHT_BLOCK, sample.kept.length); k++) {
      const message = sample.kept[k];
      if (run.messageBegin[message] <= to && run.messageEnd[message] >= from) found.push(message);
    }
    if (found.length > most) return null;
  }
  return found;
}

// Messages that are on their way between two times, at most about `most` of them: one of `every`.
function visibleMessages(run, from, to, most) {
  let best = {every: 1, messages: []};
  for (let k = run.samples.length - 1; k >= 0; k--) {
    const messages = messagesOf(run, run.samples[k], from, to, k === run.samples.length - 1 ? Infinity : most);
    if (!messages) break;
    best = {every: run.samples[k].every, messages};
  }
  return best;
}

// ---- messages and bytes on their way ----

function buildFlights(run) {
  const n = run.messageSend.length, times = new Float64Array(2 * n);
  // Arrivals first: a message that arrives as another leaves is not on its way with it.
  times.set(run.messageEnd, 0);
  times.set(run.messageBegin, n);
  const order = orderOf(times, run.end), flights = {time: new Float64Array(2 * n)};
  flights.count = new Float64Array(2 * n);
  flights.bytes = new Float64Array(2 * n);
  let count = 0, bytes = 0;
  order.forEach((from, at) => {
    const message = from % n, sign = from < n ? -1 : 1;
    flights.time[at] = times[from];
    flights.count[at] = count += sign;
    flights.bytes[at] = bytes += sign * run.amount[run.messageSend[message]];
  });
  flights.tops = {};
  for (const what of ['count', 'bytes']) flights.tops[what] = [blockTops(flights[what]), null];
  for (const what of ['count', 'bytes']) flights.tops[what][1] = blockTops(flights.tops[what][0]);
  run.flights = flights;
}

function blockTops(values) {
  const tops = new Float64Array(Math.ceil(values.length / FLIGHT_BLOCK));
  for (let k = 0; k < values.length; k++) {
    const block = Math.floor(k / FLIGHT_BLOCK);
    if (values[k] > tops[block]) tops[block] = values[k];
  }
  return tops;
}

function topOf(levels, first, last) {
  let top = 0;
  while (first < last) {
    let level = 0, step = 1;
    while (level < 2 && first % (step * FLIGHT_BLOCK) === 0 && first + step * FLIGHT_BLOCK <= last) {
      step *= FLIGHT_BLOCK;
      level++;
    }
    top = Math.max(top, levels[level][first / step]);
    first += step;
  }
  return top;
}

// The most messages ('count') or bytes on their way at once, in every pixel.
function flightTops(run, what, from, to, width) {
  const {time, tops} = run.flights, values = run.flights[what], levels = [values, ...tops[what]];
  const made = new Float64Array(width), perPixel = (to - from) / width;
  let first = firstAfter(time, from, 0, time.length);
  for (let x = 0; x < width; x++) {
    const last = firstAfter(time, from + (x + 1) * perPixel, first, time.length);
    made[x] = Math.max(first > 0 ? values[first - 1] : 0, topOf(levels, first, last));
    first = last;
  }
  return made;
}

// ---- regions and calls ----

// Those of one lane by depth; each depth is sorted and disjoint. Kept for the lanes that were asked for.
function containersOf(run, lane) {
  run.containers ||= new Map();
  if (run.containers.has(lane)) return run.containers.get(lane);
  const depths = [], ends = [];
  for (let k = run.start[lane]; k < run.start[lane + 1]; k++) {
    if (run.kind[k] > KIND.SKELETON || run.node[k] === 0) continue;
    while (ends.length && ends[ends.length - 1] <= run.begin[k]) ends.pop();
    (depths[ends.length] ||= []).push(k);
    ends.push(run.begin[k] + run.duration[k]);
  }
  run.containers.set(lane, depths);
  return depths;
}

function prepareRun(run) {
  findLeaves(run);
  buildPyramid(run);
  buildTotals(run);
  findMessages(run);
  buildFlights(run);
}

// What processors hold over time (document 000, 4.6.2): the fullest one, and the mean of all.

// By column of [from, to): the most that any lane held in it, which lane, and the sum over the lanes of what each held at
// most.
function heldBy(run, from, to, columns) {
  const most = new Float64Array(columns), lane = new Int32Array(columns), sum = new Float64Array(columns);
  const step = (to - from) / columns;
  run.held.forEach(({time, bytes}, l) => {
    let next = firstAfter(time, from, 0, time.length);
    for (let x = 0; x < columns; x++) {
      let value = next > 0 ? bytes[next - 1] : 0;
      for (const end = from + (x + 1) * step; next < time.length && time[next] < end; next++)
        value = Math.max(value, bytes[next]);
      if (from + x * step > run.end) break;
      sum[x] += value;
      if (value > most[x]) {
        most[x] = value;
        lane[x] = l;
      }
    }
  });
  return {most, lane, sum};
}

class Memory extends ValueChart {
  heightOf() {
    return 80;
  }

  paint(panel) {
    const {run, y, height} = panel, {pen} = this.page, stretch = stretchOf(run), columns = this.columns();
    const top = Math.max(1, ...report.runs.map(r => r.heldMost.bytes)), wide = plotWidth(this.page) / columns;
    const held = heldBy(run, view.from / stretch, view.to / stretch, columns), colour = theme().states[0];
    paintGrid(this.page, y, height);
    for (const [values, scale, alpha] of [[held.most, 1, 0.35], [held.sum, 1 / run.lanes, 1]]) {
      pen.fillStyle = colour;
      pen.globalAlpha = alpha;
      pen.beginPath();
      for (let x = 0; x < columns; x++) {
        const high = values[x] * scale / top * height;
        if (high > 0) pen.rect(LEFT + x * wide, y + height - high, wide, high);
      }
      pen.fill();
    }
    pen.globalAlpha = 1;
    this.paintScale(panel, y, height, top, formatBytes);
  }

  describe(panel, x) {
    const {run} = panel, stretch = stretchOf(run), time = this.timeIn(panel, x);
    const one = (view.to - view.from) / plotWidth(this.page) / stretch, held = heldBy(run, time, time + one, 1);
    const lines = [['fullest: processor ' + held.lane[0], formatBytes(held.most[0])],
      ['mean of all', formatBytes(held.sum[0] / run.lanes)]];
    return {title: formatTime(time, 6), note: 'lists and values', lines};
  }
}

// The chart stays if any run says what its processors held.
const hasMemory = runs => runs.some(r => r.heldMost.lane >= 0);

const memoryText = run => run.heldMost.lane < 0 ? 'not recorded' :
                                                  'at most ' + formatBytes(run.heldMost.bytes) + ' on processor ' +
        run.heldMost.lane + ' from ' + formatTime(run.heldMost.time) + ' on; light: the fullest processor, dark: the mean';

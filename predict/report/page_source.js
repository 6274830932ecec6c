// Places in the source: "FILE:LINE" or "FILE:LINE:COLUMN", and the lines around them, where the page has the text.

const PLACES_SHOWN = 8, LINES_AROUND = 3;

const hasPlaces = run => run.intervals.some(i => i.places.length);

function partsOfPlace(place) {
  const [, file, line, column] = place.match(/^(.*?):(\d+)(?::(\d+))?$/) || [null, place, '0'];
  return {file, line: Number(line), column: Number(column || 0)};
}

const withoutDirectories = place => place.slice(place.lastIndexOf('/') + 1);

function shortPlaces(run, interval) {
  const places = interval.places.map(name => withoutDirectories(run.facts.names[name]));
  return places.slice(0, 2).join(', ') + (places.length > 2 ? ' and ' + (places.length - 2) + ' more' : '');
}

// A line of a quotation; the column of the place is marked in it.
function quotedLine(text, number, place) {
  const here = number === place.line, row = element(here ? 'tr.here' : 'tr'), code = element('code');
  if (here && place.column > 0) {
    const at = [...text], word = at.slice(place.column - 1).join('').match(/^[$\w]+|^./)?.[0] || '';
    code.append(
        at.slice(0, place.column - 1).join(''), element('mark', word),
        at.slice(place.column - 1 + [...word].length).join(''));
  } else code.append(text || ' ');
  row.append(element('th.n', String(number)), element('td', code));
  return row;
}

// The place, with the lines around it; all of the text can be opened.
function quotation(name) {
  const place = partsOfPlace(name), text = report.facts.sources[place.file];
  const box = element('figure.quotation', element('figcaption', element('span.place', name)));
  if (text === undefined || !place.line) return box;
  const lines = text.replace(/\n$/, '').split('\n');
  if (place.line > lines.length) return box;
  const table = element('table'), body = element('tbody');
  table.append(body);
  const show = around => {
    const rows = [];
    for (let n = Math.max(1, place.line - around); n <= Math.min(lines.length, place.line + around); n++)
      rows.push(quotedLine(lines[n - 1], n, place));
    body.replaceChildren(...rows);
  };
  const whole = element('button', 'Whole text');
  whole.type = 'button';
  whole.addEventListener('click', () => {
    show(Infinity);
    whole.remove();
  });
  if (lines.length > 2 * LINES_AROUND + 1) box.firstChild.append(whole);
  show(LINES_AROUND);
  box.append(element('div.scroll', table));
  return box;
}

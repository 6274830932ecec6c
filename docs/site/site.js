// The search of the documents: all words of the query in one section; whole words and headings count more.

const SHOWN = 30;

const root = document.body.dataset.root, box = document.getElementById('search'), found = document.getElementById('found');

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// What a section is worth for a word: 0 if it does not have it.
function worth([page, , , heading, text], word) {
  const at = (where, whole, part) => {
    let best = 0;
    for (let k = where.indexOf(word); k >= 0 && best < whole; k = where.indexOf(word, k + 1)) {
      const begins = k === 0 || !/[\p{L}\p{N}_]/u.test(where[k - 1]), end = k + word.length;
      best = Math.max(best, begins && (end >= where.length || !/[\p{L}\p{N}_]/u.test(where[end])) ? whole : begins ? part * 2 : part);
    }
    return best;
  };
  return at(heading.toLowerCase(), 40, 10) + at(page.toLowerCase(), 20, 5) + at(text.toLowerCase(), 6, 1);
}

function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return SEARCH_INDEX
      .map((row, order) => {
        const each = words.map(word => worth(row, word));
        return {row, order, sum: each.some(w => w === 0) ? 0 : each.reduce((a, b) => a + b, 0)};
      })
      .filter(hit => hit.sum > 0)
      .sort((a, b) => b.sum - a.sum || a.order - b.order)
      .map(hit => hit.row);
}

// The text around the first word, with all words marked.
function excerpt(text, words) {
  const low = text.toLowerCase(), at = Math.max(0, Math.min(...words.map(w => low.indexOf(w)).filter(k => k >= 0), low.length) - 60);
  const part = text.slice(at, at + 220), line = element('p', at ? '… ' : '');
  const pattern = new RegExp('(' + words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') + ')', 'i');
  for (const [k, piece] of part.split(pattern).entries()) line.append(k % 2 ? element('mark', piece) : piece);
  return line;
}

function show() {
  const query = box.value.trim(), words = query.toLowerCase().split(/\s+/).filter(Boolean), hits = search(query);
  found.hidden = !query;
  const list = element('ol');
  for (const [page, path, anchor, heading, text] of hits.slice(0, SHOWN)) {
    const link = element('a', heading);
    link.href = root + '/' + path + (anchor ? '#' + anchor : '');
    const of = element('span', heading === page ? '' : ' ' + page);
    of.className = 'of';
    list.append(element('li', '', link, of, excerpt(text, words)));
  }
  const count = hits.length === 0 ? 'Nothing has all of these words.' :
      hits.length === 1           ? '1 section' :
      hits.length > SHOWN         ? hits.length + ' sections; the first ' + SHOWN :
                                    hits.length + ' sections';
  found.replaceChildren(element('p', count), list);
}

function close() {
  box.value = '';
  show();
}

box.addEventListener('input', show);
box.form.addEventListener('submit', event => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
found.addEventListener('click', event => { if (event.target.closest('a')) setTimeout(close); });
document.addEventListener('keydown', key => {
  const links = [...found.querySelectorAll('a')], at = links.indexOf(document.activeElement);
  if (key.key === '/' && document.activeElement !== box && !key.ctrlKey && !key.metaKey && !key.altKey) {
    key.preventDefault();
    box.focus();
  } else if (key.key === 'Escape' && !found.hidden) {
    close();
    box.focus();
  } else if ((key.key === 'ArrowDown' || key.key === 'ArrowUp') && !found.hidden && (at >= 0 || document.activeElement === box)) {
    key.preventDefault();
    const to = at + (key.key === 'ArrowDown' ? 1 : -1);
    (links[to] ?? (to < 0 ? box : links[at])).focus();
  }
});
// index.html?q=words: a search that one can link to.
box.value = new URLSearchParams(location.search).get('q') ?? '';
if (box.value) show();
document.documentElement.dataset.ready = Math.round(performance.now());

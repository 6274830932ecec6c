// Numbers, names and small elements. Texts of traces reach the page by textContent only.
'use strict';

const NONE = '\u2013';

function significant(value, digits) {
  const text = value.toPrecision(digits);
  return text.includes('e') ? String(Number(text)) : text;
}

function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  if (!Number.isFinite(value)) return '\u221e';
  if (value === 0) return '0';
  return Math.abs(value) >= 1000 ? formatCount(Math.round(value)) : significant(value, digits);
}

// Thin spaces between groups of three digits; four digits stay together.
function formatCount(value) {
  if (value === null || value === undefined) return NONE;
  const text = String(Math.round(value));
  return Math.abs(value) < 10000 ? text : text.replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];

function timeUnit(nanoseconds) {
  return TIME_UNITS.find(unit => Math.abs(nanoseconds) >= unit[1] * 0.9995) || TIME_UNITS[3];
}

function formatTime(nanoseconds, digits = 3) {
  if (nanoseconds === null || nanoseconds === undefined || Number.isNaN(nanoseconds)) return NONE;
  if (nanoseconds === 0) return '0';
  const [name, size] = timeUnit(nanoseconds);
  return (size === 1 ? formatCount(nanoseconds) : formatNumber(nanoseconds / size, digits)) + '\u00a0' + name;
}

// Both ends of an interval in one unit: "1.20 .. 1.45 ms".
function formatRange(low, high) {
  const [name, size] = timeUnit(high);
  const text = value => size === 1 ? formatCount(value) : value === 0 ? '0' : significant(value / size, 3);
  return text(low) + '\u2009\u2026\u2009' + text(high) + '\u00a0' + name;
}

function formatBytes(bytes) {
  if (bytes === null || bytes === undefined) return NONE;
  const units = [['TB', 1e12], ['GB', 1e9], ['MB', 1e6], ['kB', 1e3]];
  const unit = units.find(u => bytes >= u[1] * 0.9995);
  return unit ? significant(bytes / unit[1], 3) + '\u00a0' + unit[0] : formatCount(bytes) + '\u00a0B';
}

function formatShare(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return NONE;
  if (!Number.isFinite(share)) return '\u221e';
  const percent = 100 * share;
  return (percent >= 99.95 || percent === 0 ? percent.toFixed(0) : percent >= 10 ? percent.toFixed(1)
    : percent.toPrecision(2)) + '\u00a0%';
}

function formatRatio(ratio) {
  if (ratio === null || ratio === undefined || Number.isNaN(ratio)) return NONE;
  return Number.isFinite(ratio) ? '\u00d7' + '\u2009' + significant(ratio, 3) : '\u221e';
}

function plural(count, one, many) {
  return formatCount(count) + '\u00a0' + (count === 1 ? one : many || one + 's');
}

// element('td.n', 'text') or element('p', child, child ..): tag, classes, contents.
function element(what, ...children) {
  const [tag, ...classes] = what.split('.');
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(' ');
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

function shape(tag, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

// 1, 2 or 5 times a power of ten, at least `raw`.
function niceStep(raw) {
  const unit = Math.pow(10, Math.floor(Math.log10(raw)));
  const part = raw / unit;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * unit;
}

// The processors of the table of a chart are whole numbers: steps below one make no sense.
function wholeStep(raw) {
  return Math.max(1, Math.round(niceStep(raw)));
}

// SPDX-License-Identifier: Apache-2.0
// Plots of columns over time, one for each unit, with the present time, events and export.
import uPlot from 'uplot';
import { CURVES, theme } from './colours.js';
import { download, fileName, make, number } from './dom.js';

const MOST = 8; // curves chosen at first

export class Plots {
  constructor(model, element, setTime) {
    Object.assign(this, { model, element, setTime });
    this.chosen = new Map(); // name -> colour
    this.time = model.start;
    this.plots = [];
    this.picker = make('div', { class: 'picker' });
    this.search = make('input', {
      type: 'search', placeholder: 'Add columns: q.*', title: `${model.columns.length} columns; * stands for any text`, 'aria-label': 'Add columns',
      oninput: () => this.list(), onfocus: () => this.list(), onkeydown: (e) => this.key(e),
    });
    this.results = make('div', { class: 'results', hidden: true });
    this.chips = make('div', { class: 'chips' });
    this.area = make('div', { class: 'plot-area' });
    const tools = make('div', { class: 'plot-tools' },
      make('button', { title: 'Save the plots as a picture', onclick: () => this.savePicture() }, 'PNG'),
      make('button', { title: 'Save the columns shown as a table', onclick: () => this.saveTable() }, 'CSV'),
      make('button', { title: 'Remove all curves', onclick: () => this.choose([]) }, 'Clear'));
    element.append(make('div', { class: 'plot-head' }, this.search, tools), this.results, this.chips, this.area);
    if (model.d.left > 0)
      element.append(make('p', { class: 'note' }, `${model.d.left} columns are not in this file, because there are too many; choose with --columns.`));
    if (model.table.of > model.table.rows)
      element.append(make('p', { class: 'note' }, `The run has ${model.table.of} rows; ${model.table.rows} are kept here, more where curves bend.`));
    document.addEventListener('pointerdown', (e) => {
      if (!this.results.contains(e.target) && e.target !== this.search) this.results.hidden = true;
    });
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.area);
    observer.observe(element);
    this.choose(this.first());
  }

  // Energies; and what the model itself calls outputs, or the coordinates that move most.
  first() {
    const names = this.model.d.names;
    const own = names.filter((n) => !n.includes('.') && n !== 'drift' && n !== 't');
    return [...names.filter((n) => /^energy\.(kinetic|potential|total)$/.test(n)), ...(own.length ? own.slice(0, 4) : this.mostMoved(4))];
  }

  // In the order of the table: angles before lengths, since other units make plots of their own.
  mostMoved(n) {
    const range = (c) => {
      let [low, high] = [Infinity, -Infinity];
      for (const x of c.values) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
      return high > low ? high - low : 0;
    };
    const all = this.model.d.names.filter((k) => k.startsWith('q.')).slice(0, 4000)
      .map((name, order) => ({ name, order, unit: this.model.column(name).unit, range: range(this.model.column(name)) })).filter((c) => c.range > 0);
    const best = (unit) => all.filter((c) => c.unit === unit).sort((a, b) => b.range - a.range).slice(0, n);
    const chosen = ['rad', 'm', ''].map(best).find((list) => list.length) || [];
    return chosen.sort((a, b) => a.order - b.order).map((c) => c.name);
  }

  // ---- choosing ----

  matches(text) {
    const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const tests = words.map((w) => {
      if (!/[*?]/.test(w)) return (n) => n.includes(w);
      const pattern = new RegExp(`^${w.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
      return (n) => pattern.test(n);
    });
    return this.model.columns.filter((c) => tests.every((t) => t(c.name.toLowerCase())));
  }

  list() {
    const found = this.matches(this.search.value);
    this.results.replaceChildren(...found.slice(0, 60).map((c) => make('button', {
      class: this.chosen.has(c.name) ? 'on' : '', onclick: () => { this.toggle(c.name); this.list(); },
    }, make('span', {}, c.name), make('small', {}, c.unit))));
    if (found.length > 60) this.results.append(make('small', { class: 'more' }, `and ${found.length - 60} more`));
    if (!found.length) this.results.append(make('small', { class: 'more' }, 'no such column'));
    this.results.hidden = false;
  }

  key(e) {
    e.stopPropagation();
    if (e.key === 'Escape') this.results.hidden = true;
    if (e.key !== 'Enter') return;
    this.choose([...this.chosen.keys(), ...this.matches(this.search.value).slice(0, MOST).map((c) => c.name)]);
    this.results.hidden = true;
    this.search.value = '';
    this.search.blur();
  }

  toggle(name) {
    if (this.chosen.has(name)) this.choose([...this.chosen.keys()].filter((n) => n !== name));
    else this.choose([...this.chosen.keys(), name]);
  }

  // Colours stay with their curves.
  choose(names) {
    const kept = new Map();
    const used = () => [...kept.values()];
    for (const n of new Set(names)) {
      if (!this.model.column(n)) continue;
      const old = this.chosen.get(n);
      const free = CURVES.find((c) => !used().includes(c) && ![...this.chosen.values()].includes(c));
      kept.set(n, old || free || CURVES[kept.size % CURVES.length]);
    }
    this.chosen = kept;
    this.build();
  }

  show(names) {
    const there = names.filter((n) => this.model.column(n));
    if (there.length) this.choose([...[...this.chosen.keys()].filter((n) => n.startsWith('energy.')), ...there]);
  }

  // ---- drawing ----

  build() {
    this.plots.forEach((p) => p.u.destroy());
    this.plots = [];
    this.area.replaceChildren();
    this.chips.replaceChildren(...[...this.chosen].map(([n, colour]) => {
      const value = make('b', {});
      const chip = make('span', { class: 'chip', title: 'Remove' }, make('i', { style: `background:${colour}` }), n, value);
      chip.addEventListener('click', () => this.toggle(n));
      chip.show = () => { value.textContent = number(this.model.value(n, this.time), 4); };
      return chip;
    }));
    const groups = new Map();
    for (const n of this.chosen.keys()) {
      const c = this.model.column(n);
      const key = `${c.unit} ${c.times === this.model.motion.times ? 'm' : 't'}`;
      groups.set(key, [...(groups.get(key) || []), c]);
    }
    const height = this.height(groups.size);
    for (const columns of groups.values()) this.add(columns, height);
    if (!groups.size) this.area.append(make('p', { class: 'note' }, 'No curve is chosen: search for columns above, or pick a body or a joint.'));
    this.setNow(this.time);
  }

  options(columns, width, height) {
    const c = theme();
    const axis = { stroke: c.muted, grid: { stroke: c.line, width: 1 }, ticks: { stroke: c.line, width: 1 }, font: '11px system-ui', labelFont: '11px system-ui' };
    const { unit } = columns[0];
    return {
      width, height, legend: { show: false }, padding: [8, 20, 0, 0],
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: 'time [s]', labelSize: 16, size: 26 },
        { ...axis, label: unit ? `[${unit}]` : 'value', labelSize: 16, size: (u, texts) => this.axisWidth(texts), values: (u, v) => this.tickTexts(v) },
      ],
      series: [{}, ...columns.map((k) => ({ label: k.name, stroke: this.chosen.get(k.name), width: 1.8, pxAlign: 0, points: { show: columns[0].times.length < 3 } }))],
      cursor: { drag: { x: false, y: false }, sync: { key: 'linkwork' }, points: { size: 6 } },
      hooks: { draw: [(u) => this.drawMarks(u)], ready: [(u) => this.listen(u)] },
    };
  }

  // As many digits as tell ticks apart; one power of ten for all of them where they are large or small.
  tickTexts(values) {
    const most = Math.max(...values.map((x) => Math.abs(x ?? 0)));
    if (!(most > 0)) return values.map((x) => number(x, 4));
    const power = most >= 1e5 || most < 1e-3 ? Math.floor(Math.log10(most)) : 0;
    const plain = (x) => String(+x.toPrecision(6)).replace('-', '−');
    return values.map((x) => (x == null ? '' : plain(x / 10 ** power) + (power && x ? number(10 ** power, 1).replace('1 ×', ' ×') : '')));
  }

  // All plots are as wide as the widest numbers, so that times are below each other.
  axisWidth(texts) {
    const ctx = (this.measure ||= document.createElement('canvas').getContext('2d'));
    ctx.font = '11px system-ui';
    const wide = Math.max(36, ...(texts || []).map((x) => ctx.measureText(x).width));
    return Math.ceil(wide) + 18;
  }

  add(columns, height) {
    const box = make('div', { class: 'plot' });
    this.area.append(box);
    const data = [Array.from(columns[0].times), ...columns.map((c) => Array.from(c.values, (x) => (Number.isNaN(x) ? null : x)))];
    const u = new uPlot(this.options(columns, this.area.clientWidth || 400, height), data, box);
    this.plots.push({ u, columns });
  }

  // Two or three fill the panel.
  height(n = this.plots.length) {
    if (window.innerWidth < 800) return 190;
    const room = this.element.clientHeight - (this.area.offsetTop - this.element.offsetTop) - 26;
    return Math.round(Math.min(330, Math.max(215, room / Math.max(1, n) - 6)));
  }

  // Press or drag: time goes there.
  listen(u) {
    const go = (e) => {
      const t = u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x');
      this.setTime(Math.min(this.model.end, Math.max(this.model.start, t)));
    };
    u.over.addEventListener('pointerdown', (e) => {
      u.over.setPointerCapture(e.pointerId);
      go(e);
      u.over.onpointermove = go;
    });
    u.over.addEventListener('pointerup', () => { u.over.onpointermove = null; });
  }

  drawMarks(u) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const c = theme();
    const line = (t, colour, dash, w) => {
      const x = Math.round(u.valToPos(t, 'x', true));
      if (x < left - 1 || x > left + width + 1) return;
      ctx.save();
      ctx.strokeStyle = colour;
      ctx.lineWidth = w * devicePixelRatio;
      ctx.setLineDash(dash.map((d) => d * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      ctx.restore();
    };
    const { events } = this.model;
    const colour = events.length > 40 ? '#e5484d33' : '#e5484d88'; // many at one place are no block
    if (events.length <= 300) for (const e of events) line(e.t, colour, [3, 3], 1);
    line(this.time, c.accent, [], 1.6);
  }

  setNow(t) {
    this.time = t;
    this.plots.forEach((p) => p.u.redraw(false, false));
    [...this.chips.children].forEach((c) => c.show());
  }

  resize() {
    const width = this.area.clientWidth;
    const height = this.height();
    if (width > 10) this.plots.forEach((p) => p.u.setSize({ width, height }));
  }

  // ---- export ----

  savePicture() {
    const canvases = this.plots.map((p) => p.u.ctx.canvas);
    if (!canvases.length) return;
    const out = document.createElement('canvas');
    const legend = 24 * devicePixelRatio;
    out.width = Math.max(...canvases.map((c) => c.width));
    out.height = canvases.reduce((h, c) => h + c.height + legend, 0);
    const ctx = out.getContext('2d');
    const colours = theme();
    ctx.fillStyle = colours.surface;
    ctx.fillRect(0, 0, out.width, out.height);
    let y = 0;
    this.plots.forEach((p, i) => {
      let x = 60 * devicePixelRatio;
      ctx.font = `${12 * devicePixelRatio}px system-ui`;
      for (const c of p.columns) {
        ctx.fillStyle = this.chosen.get(c.name);
        ctx.fillText(c.name, x, y + 0.7 * legend);
        x += ctx.measureText(c.name).width + 16 * devicePixelRatio;
      }
      y += legend;
      ctx.drawImage(canvases[i], 0, y);
      y += canvases[i].height;
    });
    out.toBlob((blob) => download(`${fileName(this.model.name)}-plots.png`, blob));
  }

  table() {
    const names = [...this.chosen.keys()];
    const { times } = names.length ? this.model.column(names[0]) : this.model.table;
    const quote = (n) => (/[",\n]/.test(n) ? `"${n.replace(/"/g, '""')}"` : n);
    const rows = [['t', ...names].map(quote).join(',')];
    times.forEach((t, i) => {
      const cell = (n) => {
        const c = this.model.column(n);
        const x = c.times === times ? c.values[i] : this.model.value(n, t);
        return Number.isNaN(x) ? '' : String(+x.toPrecision(8));
      };
      rows.push([String(+t.toPrecision(12)), ...names.map(cell)].join(','));
    });
    return `${rows.join('\n')}\n`;
  }

  saveTable() {
    download(`${fileName(this.model.name)}.csv`, new Blob([this.table()], { type: 'text/csv' }));
  }
}

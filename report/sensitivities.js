// SPDX-License-Identifier: Apache-2.0
// Derivatives of a run by parameters: of objectives and of columns as bars, of a column over time as a band.
import uPlot from 'uplot';
import { CURVES, theme } from './colours.js';
import { clean, make, number } from './dom.js';

// Bars to both sides of zero, in units of the largest.
function bars(title, rows, note) {
  const most = Math.max(...rows.map((r) => Math.abs(r.value)).filter(Number.isFinite), 0);
  const width = (x) => (most > 0 && Number.isFinite(x) ? (50 * Math.abs(x)) / most : 0);
  return make('section', {}, make('h2', {}, title), make('div', { class: 'bars' }, ...rows.map((r) => make('div', { class: 'bar' },
    make('span', { class: 'bar-name', title: r.title || r.name }, r.name),
    make('span', { class: 'bar-track' }, make('i', { style: `${r.value < 0 ? 'right' : 'left'}:50%;width:${width(r.value)}%;background:${r.value < 0 ? CURVES[5] : CURVES[0]}` })),
    make('span', { class: 'number' }, number(r.value, 4))))), note ? make('p', { class: 'note' }, note) : '');
}

export class Sensitivities {
  constructor(model, element, setTime) {
    Object.assign(this, { model, setTime, time: model.start });
    const { parameters, objectives } = model.d.sens;
    this.parameters = Object.entries(parameters);
    this.names = Object.keys(model.d.sens.columns);
    const option = (n) => make('option', { value: n }, n);
    for (const [name, o] of Object.entries(objectives))
      element.append(bars(`${name} = ${number(o.value, 6)}`, this.parameters.map(([p, x]) => ({ name: p, title: `d(${name})/d(${p}) = ${number(o.d[p], 6)}`, value: o.value ? clean((o.d[p] * x) / o.value, 1) : o.d[p] })),
        o.value ? 'Per cent by which it changes if a parameter grows by one per cent.' : 'Derivatives by the parameters.'));
    this.column = make('select', { 'aria-label': 'Column', onchange: () => this.build() }, ...this.names.map(option));
    this.parameter = make('select', { 'aria-label': 'Parameter', onchange: () => this.build() }, ...this.parameters.map(([n]) => option(n)));
    this.change = make('input', { type: 'range', min: -3, max: 0, step: 'any', value: -1.3, 'aria-label': 'Change of the parameter', oninput: () => this.build() });
    this.said = make('p', { class: 'note' });
    this.area = make('div', { class: 'plot-area' });
    this.ends = make('div', {});
    element.append(make('h2', {}, 'Along the run'), make('div', { class: 'choices' }, this.column, make('span', {}, 'by'), this.parameter, this.change), this.area, this.said, this.ends);
    new ResizeObserver(() => this.resize()).observe(this.area);
    this.column.value = this.names.find((n) => this.atEnd(n).some((r) => r.value !== 0)) ?? this.names[0] ?? '';
    this.build();
  }

  // What doubling each parameter would change at the end; zero where that is rounding errors of what it was before.
  atEnd(name) {
    const at = this.model.d.sens.columns[name];
    const most = (c, f) => (c ? c.values.reduce((m, x) => (Math.abs(x) * f > m ? Math.abs(x) * f : m), 0) : 0);
    const size = Math.max(most(this.model.column(name), 1), ...this.parameters.map(([n, v]) => most(this.model.column(`d(${name})/d(${n})`), Math.abs(v || 1))));
    return this.parameters.map(([n, v]) => ({ name: n, title: `d(${name})/d(${n}) = ${number(at.d[n], 6)}`, value: clean(at.d[n] * (v || 1), size) }));
  }

  // The column, and what it would be with the parameter larger and smaller: to first order.
  build() {
    if (!this.names.length) return;
    const { model } = this;
    const [name, p] = [this.column.value, this.parameter.value];
    const part = 10 ** +this.change.value;
    const x = model.d.sens.parameters[p];
    const step = x ? part * Math.abs(x) : part;
    const [c, d] = [model.column(name), model.column(`d(${name})/d(${p})`)];
    this.plot?.destroy();
    this.plot = null;
    this.area.replaceChildren();
    this.said.textContent = !c || !d ? 'This column is not in the file.'
      : `The band is ${name} with ${p} = ${number(x, 5)} changed by ±${number(100 * part, 3)} %${x ? '' : ' of one'}: to first order.`;
    if (c && d) this.draw(c, d, step);
    const at = this.model.d.sens.columns[name];
    this.ends.replaceChildren(bars(`${name} at the end: ${number(at.value, 6)}`, this.atEnd(name),
      'Derivatives by the parameters, times the parameter: what doubling it would change, to first order.'));
  }

  draw(c, d, step) {
    const k = theme();
    const axis = { stroke: k.muted, grid: { stroke: k.line, width: 1 }, ticks: { stroke: k.line, width: 1 }, font: '11px system-ui', labelFont: '11px system-ui' };
    const nothing = (v) => (Number.isNaN(v) ? null : v);
    const values = Array.from(d.times, (t) => this.model.value(c.name, t));
    const shifted = (s) => values.map((v, i) => nothing(v + s * Math.abs(step * d.values[i])));
    const edge = { stroke: `${CURVES[0]}66`, width: 1, points: { show: false } };
    this.plot = new uPlot({
      width: this.area.clientWidth || 400, height: 240, legend: { show: false }, padding: [8, 20, 0, 0], scales: { x: { time: false } },
      axes: [{ ...axis, label: 'time [s]', labelSize: 16, size: 26 }, { ...axis, label: c.unit ? `[${c.unit}]` : 'value', labelSize: 16, size: 58, values: (u, v) => v.map((y) => number(y, 4)) }],
      series: [{}, edge, edge, { stroke: CURVES[0], width: 1.8, points: { show: false } }],
      bands: [{ series: [1, 2], fill: `${CURVES[0]}33` }],
      cursor: { drag: { x: false, y: false } },
      hooks: { draw: [(u) => this.mark(u)] },
    }, [Array.from(d.times), shifted(1), shifted(-1), values.map(nothing)], this.area);
    this.plot.over.addEventListener('pointerdown', (e) => this.setTime(this.plot.posToVal(e.clientX - this.plot.over.getBoundingClientRect().left, 'x')));
  }

  mark(u) {
    const { ctx } = u;
    const x = Math.round(u.valToPos(this.time, 'x', true));
    ctx.save();
    ctx.strokeStyle = theme().accent;
    ctx.lineWidth = 1.6 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  setNow(t) {
    this.time = t;
    this.plot?.redraw(false, false);
  }

  resize() {
    const width = this.area.clientWidth;
    if (width > 10) this.plot?.setSize({ width, height: 240 });
  }
}


// SPDX-License-Identifier: Apache-2.0
// Bodies and joints as a list in the order of the spanning tree, and what is known of the selected one.
import { make, number } from './dom.js';

const MOST = 500; // rows shown at once

export class Tree {
  constructor(model, element, search, info, pick) {
    Object.assign(this, { model, element, search, info, pick });
    this.rows = this.order();
    const named = new Set(model.joints.filter((j) => !j.implicit).map((j) => j.name)).size;
    search.title = `${model.bodies.length - 1} bodies, ${named} joints`;
    search.addEventListener('input', () => this.list());
    element.addEventListener('keydown', (e) => this.key(e));
    this.list();
  }

  order() {
    const children = this.model.bodies.map(() => []);
    const seen = new Set([0]);
    const others = [];
    for (const j of this.model.joints) {
      if (j.cut || j.since > this.model.start) others.push(j);
      else children[j.parent].push({ joint: j, to: j.child }), children[j.child].push({ joint: j, to: j.parent });
    }
    const rows = [];
    const stack = children[0].map((c) => ({ ...c, depth: 0 })).reverse();
    const walk = () => {
      while (stack.length) {
        const { joint, to, depth } = stack.pop();
        if (seen.has(to)) continue;
        seen.add(to);
        if (!joint.implicit) rows.push({ kind: 'joint', name: joint.name, type: joint.type, depth });
        rows.push({ kind: 'body', id: to, name: this.model.bodies[to].name, depth: depth + (joint.implicit ? 0 : 1) });
        stack.push(...children[to].filter((c) => !seen.has(c.to)).map((c) => ({ ...c, depth: depth + 2 })).reverse());
      }
    };
    walk();
    for (const b of this.model.bodies)
      if (!seen.has(b.id)) {
        seen.add(b.id);
        rows.push({ kind: 'body', id: b.id, name: b.name, depth: 0 });
        stack.push(...children[b.id].map((c) => ({ ...c, depth: 1 })).reverse());
        walk();
      }
    for (const j of others.filter((k) => !k.implicit)) rows.push({ kind: 'joint', name: j.name, type: `${j.type}, ${j.cut ? 'closes a loop' : 'comes later'}`, depth: 0 });
    return rows;
  }

  list() {
    const text = this.search.value.trim().toLowerCase();
    const found = text ? this.rows.filter((r) => r.name.toLowerCase().includes(text)) : this.rows;
    this.shown = found.slice(0, MOST);
    this.element.replaceChildren(...this.shown.map((r) => {
      const row = make('div', { class: `row ${r.kind}`, role: 'treeitem', style: `padding-left:${8 + 9 * Math.min(text ? 0 : r.depth, 12)}px` },
        make('i', {}), make('span', {}, r.name), make('small', {}, r.kind === 'joint' ? r.type : ''));
      row.addEventListener('click', () => this.pick(r.kind === 'body' ? { kind: 'body', id: r.id } : { kind: 'joint', name: r.name }));
      r.element = row;
      return row;
    }));
    if (found.length > MOST) this.element.append(make('small', { class: 'more' }, `and ${found.length - MOST} more: search`));
    this.mark(this.selected);
  }

  isSelected(r) {
    const s = this.selected;
    return !!s && s.kind === r.kind && (r.kind === 'body' ? s.id === r.id : s.name === r.name);
  }

  mark(selected, colour) {
    this.selected = selected;
    for (const r of this.shown) {
      const on = this.isSelected(r);
      r.element.classList.toggle('on', on);
      r.element.setAttribute('aria-selected', on);
      if (on) r.element.scrollIntoView({ block: 'nearest' });
      if (colour && r.kind === 'body') r.element.querySelector('i').style.background = colour(r.id);
    }
  }

  key(e) {
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
    e.preventDefault();
    e.stopPropagation();
    const at = this.shown.findIndex((r) => this.isSelected(r));
    const next = this.shown[Math.max(0, Math.min(this.shown.length - 1, at + (e.key === 'ArrowDown' ? 1 : -1)))];
    if (next) this.pick(next.kind === 'body' ? { kind: 'body', id: next.id } : { kind: 'joint', name: next.name });
  }

  // Columns that belong to the selected body or joint.
  columnsOf(s) {
    if (!s) return [];
    const name = s.kind === 'body' ? this.model.bodies[s.id].name : s.name;
    return this.model.columns.filter((c) => {
      const dot = c.name.indexOf('.');
      if (dot < 0) return false;
      const rest = c.name.slice(dot + 1);
      const head = c.name.slice(0, dot);
      const isBody = /^([xyz]|e[0-3]|[vwa][xyz])$/.test(head);
      return (rest === name || (s.kind === 'joint' && rest.startsWith(`${name}.`) && /^\d+$/.test(rest.slice(name.length + 1)))) && isBody === (s.kind === 'body');
    });
  }

  // What plots show when something is picked.
  firstColumns(s) {
    const all = this.columnsOf(s).map((c) => c.name);
    const choose = (pattern) => all.filter((n) => pattern.test(n));
    return s.kind === 'body' ? [...choose(/^[xyz]\./), ...choose(/^v[xyz]\./)] : [...choose(/^q\./), ...choose(/^u\./), ...choose(/^f[xyz]\./)].slice(0, 8);
  }

  describe(t) {
    const s = this.selected;
    if (!s) {
      if (this.described !== null) this.info.replaceChildren(make('p', { class: 'note' }, 'Click a body or a joint to see its numbers.'));
      this.described = null;
      return;
    }
    if (this.described !== s) this.build(s);
    this.described = s;
    for (const cell of this.cells) cell.e.textContent = number(this.model.value(cell.name, t));
  }

  build(s) {
    const { model } = this;
    const rows = [];
    this.cells = [];
    const fact = (k, v) => rows.push(make('tr', {}, make('th', {}, k), make('td', {}, v), make('td', {})));
    if (s.kind === 'body') {
      const b = model.bodies[s.id];
      fact('mass', `${number(b.mass)} kg`);
      fact('centre', `${b.com.map((x) => number(x, 4)).join(', ')} m`);
    } else {
      const p = model.parts.find((x) => x.name === s.name);
      fact('type', p?.type ?? '');
      fact('from', model.bodies[p.parent].name);
      fact('to', model.bodies[p.child].name);
      if (p.since > model.start || p.until !== Infinity) fact('exists', `${number(p.since)} s to ${p.until === Infinity ? 'the end' : `${number(p.until)} s`}`);
    }
    for (const c of this.columnsOf(s)) {
      const e = make('td', { class: 'number' });
      this.cells.push({ name: c.name, e });
      const short = c.name.slice(0, c.name.indexOf('.')) + (/\.(\d+)$/.exec(c.name)?.[0] ?? '');
      rows.push(make('tr', {}, make('th', {}, short), e, make('td', { class: 'unit' }, c.unit)));
    }
    const name = s.kind === 'body' ? model.bodies[s.id].name : s.name;
    this.info.replaceChildren(make('h2', {}, make('small', {}, s.kind), ' ', name), make('table', {}, ...rows));
  }
}

// SPDX-License-Identifier: Apache-2.0
// The picture of the topology that `linkwork inspect --svg` draws, with names that can be picked.
import { make } from './dom.js';

export class Topology {
  constructor(model, element, pick) {
    this.texts = new Map();
    if (!model.d.topology) return;
    const parsed = new DOMParser().parseFromString(model.d.topology, 'image/svg+xml');
    if (parsed.querySelector('parsererror')) return;
    const svg = document.importNode(parsed.documentElement, true);
    const width = svg.getAttribute('width');
    const height = svg.getAttribute('height');
    if (!svg.getAttribute('viewBox') && width) svg.setAttribute('viewBox', `0 0 ${parseFloat(width)} ${parseFloat(height)}`);
    svg.style.width = `${parseFloat(width)}px`;
    svg.removeAttribute('width');
    svg.removeAttribute('height');
    const bodies = new Map(model.bodies.slice(1).map((b) => [b.name, b]));
    const joints = new Set(model.parts.map((p) => p.name));
    for (const t of svg.querySelectorAll('text')) {
      const name = t.textContent.trim();
      const what = bodies.has(name) ? { kind: 'body', id: bodies.get(name).id } : joints.has(name) ? { kind: 'joint', name } : null;
      if (!what) continue;
      t.classList.add('pickable');
      t.addEventListener('click', () => pick(what));
      const key = what.kind === 'body' ? `body ${what.id}` : `joint ${name}`;
      this.texts.set(key, [...(this.texts.get(key) || []), t]);
    }
    this.addSizes(element, svg, parseFloat(width));
  }

  // As large as its texts can be read, to be scrolled; or as a whole; or in the whole window.
  addSizes(element, svg, width) {
    const box = make('div', { class: 'topology' }, svg);
    const buttons = new Map();
    const choose = (name, size) => {
      svg.style.width = size;
      for (const [k, b] of buttons) b.classList.toggle('on', k === name);
    };
    const button = (name, title, act) => {
      buttons.set(name, make('button', { title, onclick: act }, name));
      return buttons.get(name);
    };
    const scale = (x) => () => choose(x === 1 ? '100 %' : '75 %', `${x * width}px`);
    element.append(make('div', { class: 'group sizes' }, button('75 %', 'Three quarters of its size', scale(0.75)), button('100 %', 'Its own size', scale(1)),
      button('All', 'As wide as the panel', () => choose('All', '100%')),
      button('Window', 'In the whole window; Esc closes it', () => box.requestFullscreen?.())), box);
    scale(0.75)();
  }

  mark(what) {
    for (const list of this.texts.values()) list.forEach((t) => t.classList.remove('picked'));
    if (!what) return;
    const key = what.kind === 'body' ? `body ${what.id}` : `joint ${what.name}`;
    const texts = this.texts.get(key) || [];
    texts.forEach((t) => t.classList.add('picked'));
    if (texts.length && texts[0].getClientRects().length) texts[0].scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

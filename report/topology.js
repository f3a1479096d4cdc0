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
    svg.style.width = `min(100%, ${parseFloat(width)}px)`;
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
    element.append(make('div', { class: 'topology' }, svg));
  }

  mark(what) {
    for (const list of this.texts.values()) list.forEach((t) => t.classList.remove('picked'));
    if (!what) return;
    const key = what.kind === 'body' ? `body ${what.id}` : `joint ${what.name}`;
    (this.texts.get(key) || []).forEach((t) => t.classList.add('picked'));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Modes: a list of them, of which one moves.
import { make, number } from './dom.js';

const WORDS = { rigid: 'rigid', oscillation: '', real: 'no oscillation' };

export class Modes {
  constructor(model, element, onChoose) {
    Object.assign(this, { model, onChoose, size: 0.15 });
    const { at, stability, left } = model.d.modes;
    const scale = make('input', { type: 'range', min: 0.02, max: 0.5, step: 'any', value: this.size, 'aria-label': 'Size of the motion', oninput: () => { this.size = +scale.value; this.choose(this.chosen); } });
    this.rows = model.modes.map((m, i) => make('tr', { class: 'link', onclick: () => this.choose(i) },
      make('td', { class: 'number' }, String(i + 1)), make('td', { class: 'number' }, m.kind === 'rigid' ? '0' : number(m.frequency, 5)),
      make('td', { class: 'number' }, m.kind === 'rigid' ? '' : `${number(100 * m.damping, 3)} %`),
      make('td', {}, [WORDS[m.kind], m.real > 0 && m.kind !== 'rigid' ? 'grows' : '', ...m.moves].filter(Boolean).join(', '))));
    element.append(make('h2', {}, `Modes about the ${at}${stability ? ` (${stability})` : ''}`),
      make('label', { class: 'slider' }, 'Size of the motion', scale),
      make('div', { class: 'scroll tall' }, make('table', { class: 'list' },
        make('tr', {}, ...['', 'frequency [Hz]', 'damping', 'what moves'].map((h) => make('th', {}, h))), ...this.rows)),
      left > 0 ? make('p', { class: 'note' }, `and ${left} more, whose shapes are not in this file`) : '',
      make('p', { class: 'note' }, 'A small motion, drawn larger; it neither decays nor grows here. One period is shown in its own time; a mode without oscillation swings once a second. The ghost is the state about which it moves.'));
    element.addEventListener('keydown', (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (!step || e.target.type === 'range') return;
      e.preventDefault();
      e.stopPropagation();
      this.choose(Math.min(this.rows.length - 1, Math.max(0, this.chosen + step)));
    });
    element.tabIndex = 0;
  }

  // The slowest oscillation.
  first() {
    const i = this.model.modes.findIndex((m) => m.kind === 'oscillation');
    return i < 0 ? 0 : i;
  }

  choose(i) {
    this.chosen = i;
    this.rows.forEach((r, k) => r.classList.toggle('on', k === i));
    this.rows[i].scrollIntoView({ block: 'nearest' });
    this.onChoose(i, this.size);
  }
}

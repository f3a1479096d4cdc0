// SPDX-License-Identifier: Apache-2.0
// Time: play, pause, scrub, speed, loop.
import { $, make, number } from './dom.js';

const SPEEDS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];

// Drawn, since fonts differ in what they have.
function icon(name) {
  const paths = { play: 'M4 2l10 6-10 6z', pause: 'M3 2h4v12H3zM9 2h4v12H9z', start: 'M2 2h2.5v12H2zM14 2v12L5 8z', loop: 'M8 2a6 6 0 1 0 6 6h-2.2A3.8 3.8 0 1 1 8 4.2V7l4.5-3.5L8 0z' };
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

export class Player {
  constructor(model, onTime) {
    Object.assign(this, { model, onTime, t: model.start, playing: false, loop: true });
    $('play').replaceChildren(icon('play'));
    $('to-start').replaceChildren(icon('start'));
    $('loop').replaceChildren(icon('loop'));
    const speed = $('speed');
    for (const s of SPEEDS) speed.append(make('option', { value: s }, s < 1 ? `1/${Math.round(1 / s)}×` : `${s}×`));
    speed.addEventListener('change', () => { this.speed = +speed.value; });
    const scrub = $('scrub');
    scrub.addEventListener('input', () => this.set(+scrub.value));
    $('play').addEventListener('click', () => this.toggle());
    $('to-start').addEventListener('click', () => this.set(model.start));
    $('loop').addEventListener('click', () => this.setLoop(!this.loop));
    this.setSpan(4);
    const span = model.end - model.start;
    if (model.events.length <= 500 && span > 0)
      for (const e of model.events)
        $('marks').append(make('i', { style: `left:${(100 * (e.t - model.start)) / span}%`, title: `${(e.names || []).join(', ')} at ${number(e.t, 5)} s` }));
  }

  // The times of the model.  As fast as it is, unless that is over in less than `least` seconds or takes minutes.
  setSpan(least) {
    const { start, end } = this.model;
    const wanted = Math.min(20, Math.max(least, end - start));
    const miss = (s) => Math.abs(Math.log((end - start) / s / wanted));
    this.speed = end > start ? SPEEDS.reduce((best, s) => (miss(s) < miss(best) ? s : best), 1) : 1;
    $('speed').value = String(this.speed);
    Object.assign($('scrub'), { min: start, max: end, value: start });
    $('transport').classList.toggle('still', !(end > start));
  }

  setLoop(on) {
    this.loop = on;
    $('loop').classList.toggle('on', on);
  }

  setSpeed(step) {
    const i = SPEEDS.indexOf(this.speed) + step;
    if (i < 0 || i >= SPEEDS.length) return;
    this.speed = SPEEDS[i];
    $('speed').value = String(this.speed);
  }

  set(t) {
    this.t = Math.min(this.model.end, Math.max(this.model.start, t));
    $('scrub').value = this.t;
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(1e-9, this.model.end - this.model.start)))));
    $('clock').textContent = `${this.t.toFixed(digits)} s`;
    this.onTime(this.t);
  }

  // One row of the motion forwards or back.
  step(n) {
    const { times } = this.model.motion;
    const e = 1e-9 * (this.model.end - this.model.start);
    if (n > 0) this.set(times.find((t) => t > this.t + e) ?? this.model.end);
    else this.set([...times].reverse().find((t) => t < this.t - e) ?? this.model.start);
  }

  toggle(on = !this.playing) {
    this.playing = on && this.model.end > this.model.start;
    if (this.playing && this.t >= this.model.end) this.set(this.model.start);
    $('play').replaceChildren(icon(this.playing ? 'pause' : 'play'));
    $('play').classList.toggle('playing', this.playing);
    this.last = null;
  }

  // Called for each picture; seconds of the clock on the wall.
  tick(now) {
    if (!this.playing) return;
    if (this.last != null) {
      let t = this.t + (now - this.last) * this.speed;
      if (t > this.model.end) {
        if (this.loop) t = this.model.start;
        else this.toggle(false);
      }
      this.set(t);
    }
    this.last = now;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The page of a run: puts its parts together.
import { Vector3 } from 'three';
import { $, make, number } from './dom.js';
import { readModel } from './model.js';
import { Mechanism } from './scene.js';
import { View } from './view.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Tree } from './tree.js';
import { showTables } from './tables.js';
import { Topology } from './topology.js';
import { Modes } from './modes.js';
import { Sensitivities } from './sensitivities.js';

const KEYS = [
  ['space', 'play or pause'], ['← →', 'one row back or on'], ['Home, End', 'to the start, to the end'], ['− +', 'slower, faster'],
  ['1 2 3 4', 'front, side, top, free view'], ['F', 'follow the selected body'], ['G', 'ghost of the start'], ['T', 'traces'],
  ['A', 'loads as arrows'], ['J', 'joints'], ['C', 'centre of mass'], ['X', 'frames of bodies'], ['L', 'loop'], ['D', 'light or dark'], ['Esc', 'nothing selected'],
];
const LAYERS = [
  ['joints', 'Joints', 'J'], ['springs', 'Springs', ''], ['loads', 'Loads', 'A'], ['traces', 'Traces', 'T'], ['ghost', 'Ghost of the start', 'G'],
  ['com', 'Centre of mass', 'C'], ['frames', 'Frames', 'X'], ['points', 'Points', ''], ['grid', 'Grid', ''],
];

class Page {
  constructor(model) {
    this.model = model;
    document.title = `${model.name} – linkwork`;
    $('title').textContent = model.name;
    this.badges();
    try {
      this.mechanism = new Mechanism(model);
      this.view = new View($('canvas'), this.mechanism);
    } catch (e) {
      this.view = null;
      this.reason = e;
      $('no-webgl').hidden = false;
    }
    this.tree = new Tree(model, $('tree'), $('search'), $('info'), (w) => this.pick(w, true));
    this.plots = new Plots(model, $('panel-plots'), (t) => this.player.set(t));
    showTables(model, $('panel-tables'), (t) => this.player.set(t));
    this.topology = new Topology(model, $('panel-topology'), (w) => this.pick(w, false));
    this.player = new Player(model, (t) => this.onTime(t));
    if (model.modes.length) this.modes = new Modes(model, $('panel-modes'), (k, size) => this.chooseMode(k, size));
    if (model.d.sens) this.sensitivities = new Sensitivities(model, $('panel-sens'), (t) => this.player.set(t));
    this.tabs();
    this.toolbar();
    this.keys();
    this.pointer();
    this.splitter();
    this.help();
    $('theme-button').addEventListener('click', () => this.toggleTheme());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.themeChanged());
    this.pick(null);
    this.player.set(model.start);
    if (this.modes) this.modes.choose(this.modes.first());
    if (this.view && this.mechanism.travels) this.follow(this.heaviest());
    if (!this.modes && this.startsAlone()) this.player.toggle(true);
    const frame = (now) => {
      this.player.tick(now / 1000);
      if (this.view?.stale) this.view.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // Not for those who asked for less motion, nor where pictures may take long.
  startsAlone() {
    return !!this.view && !matchMedia('(prefers-reduced-motion: reduce)').matches && this.model.shapes.length < 3000;
  }

  badges() {
    const { model } = this;
    const f = model.facts;
    const badge = (text, kind = '') => $('badges').append(make('span', { class: `badge ${kind}` }, text));
    badge(model.bodies.length === 2 ? '1 body' : `${model.bodies.length - 1} bodies`);
    const { dof } = model.d.model || {};
    if (dof != null) badge(`${dof} degree${dof === 1 ? '' : 's'} of freedom`);
    if (model.end > model.start) badge(`${number(model.end - model.start, 4)} s`);
    if (model.events.length) badge(`${model.events.length} event${model.events.length === 1 ? '' : 's'}`);
    const { equilibrium, modes } = model.d;
    if (equilibrium) badge(`${equilibrium.stability} equilibrium`, equilibrium.stability === 'unstable' ? 'bad' : '');
    if (modes) badge(`${modes.list.length + modes.left} modes`);
    if (f.error) badge('ended early', 'bad');
    else if (f.energy?.balanced === false) badge('energy does not balance', 'bad');
  }

  onTime(t) {
    if (this.view) {
      this.mechanism.update(t);
      if (this.following != null) {
        const at = new Vector3(...this.model.point(this.following, this.model.bodies[this.following].com));
        this.view.follow(at);
        this.mechanism.light(at);
      }
      this.view.request();
    }
    // numbers and plots at most 15 times a second
    const now = performance.now();
    if (document.body.classList.contains('film')) return;
    if (!this.player?.playing || now - (this.shown || 0) > 66) {
      this.shown = now;
      this.plots.setNow(t);
      this.sensitivities?.setNow(t);
      this.tree.describe(t);
    }
  }

  pick(what, plot = false) {
    this.picked = what;
    this.mechanism?.pick(what);
    this.tree.mark(what, (id) => `#${this.mechanism ? this.mechanism.colours[id].getHexString() : '888888'}`);
    this.topology.mark(what);
    if (what && plot) this.plots.show(this.tree.firstColumns(what));
    if (this.following != null && what?.kind === 'body') this.follow(what.id);
    if (this.player) this.onTime(this.player.t);
  }

  // size: of the largest displacement, as a part of the mechanism
  chooseMode(number, size) {
    const { model } = this;
    const radius = this.mechanism ? this.mechanism.radius : model.size;
    model.choose(number, size * radius, model.reaches());
    this.player.setSpan(1.6);
    this.player.set(model.start);
    if (!this.player.playing) this.player.toggle(true);
  }

  follow(id) {
    this.following = id;
    if (this.view) this.view.followed = null;
    this.followButton.classList.toggle('on', id != null);
    this.onTime(this.player.t);
  }

  toggleFollow() {
    if (this.following != null) this.follow(null);
    else this.follow(this.picked?.kind === 'body' ? this.picked.id : this.heaviest());
  }

  heaviest() {
    return this.model.bodies.reduce((best, b) => (b.mass > this.model.bodies[best].mass ? b.id : best), Math.min(1, this.model.bodies.length - 1));
  }

  tabs() {
    const { model } = this;
    const names = { modes: 'Modes', sens: 'Sensitivities', plots: 'Plots', tables: 'Tables', topology: 'Topology', bodies: 'Bodies' };
    const there = { ...names };
    if (!this.modes) delete there.modes;
    if (!this.sensitivities) delete there.sens;
    if (model.modes.length || model.d.equilibrium) delete there.plots;
    this.panels = Object.keys(names);
    for (const [k, label] of Object.entries(there)) {
      const b = make('button', { role: 'tab', id: `tab-${k}`, onclick: () => this.tab(k) }, label);
      $('tabs').append(b);
    }
    this.tab(Object.keys(there)[0]);
    const phone = matchMedia('(max-width: 800px)');
    phone.addEventListener('change', () => this.placeBodies(phone.matches));
    this.placeBodies(phone.matches);
  }

  // The list of bodies has a column of its own, or a tab where there is no room for one.
  placeBodies(phone) {
    const [column, panel] = [$('left'), $('panel-bodies')];
    (phone ? panel : column).append(...(phone ? column : panel).childNodes);
    $('tab-bodies').hidden = !phone;
    if (!phone && $('tab-bodies').classList.contains('on')) this.tab(this.panels.find((k) => $(`tab-${k}`)));
  }

  tab(k) {
    for (const b of $('tabs').children) b.classList.toggle('on', b.id === `tab-${k}`);
    for (const p of this.panels) $(`panel-${p}`).hidden = p !== k;
    if (k === 'plots') this.plots.resize();
    if (k === 'sens') this.sensitivities.resize();
  }

  toolbar() {
    const bar = $('toolbar');
    if (!this.view) return;
    const views = make('div', { class: 'group' });
    for (const [k, label, title] of [['front', 'Front', '1'], ['side', 'Side', '2'], ['top', 'Top', '3'], ['free', 'Free', '4']])
      views.append(make('button', { title: `${label} view (${title})`, onclick: () => this.look(k) }, label));
    this.followButton = make('button', { title: 'The camera follows the selected body (F)', onclick: () => this.toggleFollow() }, 'Follow');
    const more = make('button', { title: 'What is shown', id: 'layers-button', onclick: () => { $('menu').hidden = !$('menu').hidden; } }, 'Show ▾');
    bar.append(views, make('div', { class: 'group' }, this.followButton, more));
    this.layers = {};
    for (const [k, label, key] of LAYERS) {
      const box = make('input', { type: 'checkbox', id: `layer-${k}`, onchange: () => this.layer(k, box.checked) });
      box.checked = this.mechanism.show[k];
      this.layers[k] = box;
      $('menu').append(make('label', {}, box, label, key ? make('kbd', {}, key) : ''));
    }
    const scale = make('input', { type: 'range', min: -1, max: 1, step: 'any', value: 0, 'aria-label': 'Length of loads', oninput: () => { this.mechanism.scaleOfLoads = 10 ** +scale.value; this.onTime(this.player.t); } });
    $('menu').append(make('label', { class: 'slider' }, 'Length of loads', scale));
    const cut = make('select', { 'aria-label': 'Section', onchange: () => this.section(cut.value, at.value) }, ...[['', 'none'], ['x', 'across x'], ['y', 'across y'], ['z', 'across z']].map(([v, l]) => make('option', { value: v }, l)));
    const at = make('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0.5, 'aria-label': 'Place of the section', oninput: () => this.section(cut.value, at.value) });
    $('menu').append(make('label', { class: 'slider' }, 'Section', cut, at));
    $('menu').append(make('button', { onclick: () => this.savePicture() }, 'Save picture (PNG)'));
    document.addEventListener('pointerdown', (e) => {
      if (!$('menu').contains(e.target) && e.target !== more) $('menu').hidden = true;
    });
  }

  section(axis, at) {
    this.mechanism.section(axis, +at);
    this.view.request();
  }

  savePicture() {
    this.view.draw();
    $('canvas').toBlob((blob) => import('./dom.js').then((d) => d.download(`${d.fileName(this.model.name)}.png`, blob)));
  }

  look(k) {
    this.view.look(k);
    if (this.following != null) this.follow(this.following);
  }

  layer(k, on = !this.mechanism.show[k]) {
    this.mechanism.show[k] = on;
    this.layers[k].checked = on;
    this.onTime(this.player.t);
  }

  keys() {
    const { player } = this;
    const act = {
      ' ': () => player.toggle(), ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1),
      Home: () => player.set(this.model.start), End: () => player.set(this.model.end), '-': () => player.setSpeed(-1), '+': () => player.setSpeed(1), '=': () => player.setSpeed(1),
      1: () => this.look('front'), 2: () => this.look('side'), 3: () => this.look('top'), 4: () => this.look('free'),
      f: () => this.toggleFollow(), g: () => this.layer('ghost'), t: () => this.layer('traces'), a: () => this.layer('loads'), j: () => this.layer('joints'),
      c: () => this.layer('com'), x: () => this.layer('frames'), l: () => player.setLoop(!player.loop), d: () => this.toggleTheme(),
      Escape: () => this.pick(null), '?': () => $('help').showModal(),
    };
    const needView = '1234fgtajcx';
    document.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'range' && e.target.type !== 'checkbox') return;
      if ($('help').open) return;
      const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
      if (!act[key] || (!this.view && needView.includes(key))) return;
      e.preventDefault();
      act[key]();
    });
  }

  help() {
    $('help').append(make('h2', {}, 'Keys'), make('table', {}, ...KEYS.map(([k, v]) => make('tr', {}, make('th', {}, make('kbd', {}, k)), make('td', {}, v)))),
      make('p', { class: 'note' }, 'Drag to rotate, right button or two fingers to pan, wheel to zoom. Click in a plot to go to that time.'),
      make('button', { onclick: () => $('help').close() }, 'Close'));
    $('help-button').addEventListener('click', () => $('help').showModal());
  }

  // A press without a drag selects.
  pointer() {
    if (!this.view) return;
    const canvas = $('canvas');
    let down = null;
    canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
    canvas.addEventListener('pointerup', (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 5 || e.button !== 0) return;
      this.pick(this.mechanism.hit(this.view.ray(e.clientX, e.clientY)), true);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (e.buttons || e.pointerType === 'touch') return;
      const now = performance.now();
      if (now - (this.hovered || 0) < 60) return;
      this.hovered = now;
      const what = this.mechanism.hit(this.view.ray(e.clientX, e.clientY));
      $('hud').textContent = what ? (what.kind === 'body' ? this.model.bodies[what.id].name : what.name) : '';
      canvas.style.cursor = what ? 'pointer' : 'grab';
    });
  }

  splitter() {
    const s = $('splitter');
    s.addEventListener('pointerdown', (e) => {
      s.setPointerCapture(e.pointerId);
      s.onpointermove = (m) => {
        const width = Math.min(innerWidth - 480, Math.max(260, innerWidth - m.clientX));
        document.documentElement.style.setProperty('--right', `${width}px`);
      };
    });
    s.addEventListener('pointerup', () => { s.onpointermove = null; });
  }

  isDark() {
    const set = document.documentElement.dataset.theme;
    return set ? set === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  toggleTheme() {
    document.documentElement.dataset.theme = this.isDark() ? 'light' : 'dark';
    this.themeChanged();
  }

  themeChanged() {
    this.mechanism?.recolour();
    this.plots.build();
    this.sensitivities?.build();
    this.view?.request();
  }

  // ---- for tests and films ----

  state() {
    return { t: this.player.t, playing: this.player.playing, picked: this.picked, webgl: !!this.view };
  }

  // Where the centre of mass of a body appears, in pixels of the page.
  pixel(name) {
    const b = this.model.bodies.find((x) => x.name === name);
    return this.view.project(this.model.point(b.id, b.com));
  }

  pixelOf(p) {
    return this.view.project(p);
  }

  film(on) {
    document.body.classList.toggle('film', on);
    this.player.toggle(false);
    this.view.resize();
    if (this.model.planar) this.view.look('front');
    else this.view.look('free');
  }

  drawAt(t) {
    this.player.set(t);
    this.view.draw();
  }
}

readModel($('data').textContent).then((model) => {
  window.linkwork = new Page(model);
  document.documentElement.dataset.ready = 'yes';
}).catch((e) => {
  document.body.replaceChildren(make('p', { class: 'warning' }, `This report cannot be shown: ${e.message}`));
  throw e;
});

// SPDX-License-Identifier: Apache-2.0
// Facts of the model and the run as tables.
import { clean, make, number } from './dom.js';

function table(title, rows, note) {
  const there = rows.filter(Boolean);
  if (!there.length) return '';
  return make('section', {}, make('h2', {}, title),
    make('table', { class: 'facts' }, ...there.map(([k, v, unit]) => make('tr', {}, make('th', {}, k), make('td', { class: /^[−\d]/.test(v) ? 'number' : 'words' }, v), make('td', { class: 'unit' }, unit ?? '')))),
    note ? make('p', { class: 'note' }, note) : '');
}

// Numbers stand below the ends of their heads.
const heads = (texts) => make('tr', {}, ...texts.map((h, i) => make('th', { class: i ? 'number' : '' }, h)));

const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

function redundancy(f, found) {
  if (found?.groups?.length) return `${found.groups.map((g) => g.text).join('; ')}. ${found.proposal ? `All loads are determined if you ${found.proposal}.` : ''}`;
  if (f.redundant == null) return '';
  if (f.redundant === 0) return 'No constraint is redundant: all loads of joints follow from the motion.';
  return `${plural(f.redundant, 'constraint equation')} ${f.redundant === 1 ? 'is' : 'are'} redundant: the motion is the same, but loads of some joints are one of several possible ones, those with the smallest multipliers.`;
}

function freedoms(model) {
  const f = model.d.model || {};
  const moving = model.joints.filter((j) => j.since <= model.start);
  return table('Mechanism', [
    ['bodies', String(model.bodies.length - 1)],
    ['joints', String(moving.filter((j) => !j.implicit).length)],
    ['joints that close loops', String(moving.filter((j) => j.cut).length)],
    f.dof != null && ['degrees of freedom', String(f.dof)],
    f.redundant != null && ['redundant equations', String(f.redundant)],
    ['mass', number(model.bodies.reduce((m, b) => m + b.mass, 0)), 'kg'],
    f.class && ['class', f.class],
  ], redundancy(f, model.facts.redundancy));
}

function energies(e) {
  if (!e) return '';
  return table('Energy', [
    e.start && ['at the start', number(e.start.total, 6), 'J'],
    e.end && ['at the end', number(e.end.total, 6), 'J'],
    e.work != null && ['work of motors, dampers and forces', number(e.work, 6), 'J'],
    e.events != null && ['added by events', number(e.events, 6), 'J'],
    e.largest_error != null && ['largest error of the balance', number(e.largest_error, 3), 'J'],
    e.explained != null && ['explained by the tolerances', number(e.explained, 3), 'J'],
  ], e.balanced === false ? 'The energy does not balance: the results are not to be trusted.' : e.balanced ? 'Energy and work balance within the tolerances.' : '');
}

// Loads, springs and coordinates at rest.
function rest(e) {
  if (!e) return [];
  const size = (x) => Math.hypot(...x);
  const ways = [e.unstable ? `${plural(e.unstable, 'direction')} in which it moves away` : '', e.neutral ? `${plural(e.neutral, 'direction')} in which it stays where it is put` : ''].filter(Boolean);
  const list = (title, texts, rows) => (rows.length ? make('section', {}, make('h2', {}, title), make('div', { class: 'scroll' }, make('table', { class: 'list' },
    heads(texts), ...rows.slice(0, 400).map((r) => make('tr', {}, ...r.map((x, i) => make('td', { class: i ? 'number' : '' }, x))))))) : '');
  const values = (x) => (Array.isArray(x) ? x : [x]).map((y) => number(clean(y, 1), 5)).join(', ');
  const loads = Object.entries(e.loads).map(([n, x]) => [n, size(x.slice(0, 3)), size(x.slice(3))]);
  const most = Math.max(0, ...loads.flatMap(([, f, m]) => [f, m]));
  return [
    table('Equilibrium', [['stability', e.stability], ['potential energy', number(e.potential_energy, 6), 'J'], ['remaining load (N, N m)', number(e.residual, 3)],
      ['steps of the search', String(e.steps)]], ways.join('; ')),
    list('Loads of joints and constraints', ['', '|force| [N]', '|torque| [N m]'], loads.map(([n, f, m]) => [n, number(clean(f, most), 5), number(clean(m, most), 5)])),
    list('Springs', ['', 'length [m]', 'tension [N]'], Object.entries(e.springs).map(([n, s]) => [n, number(s.length, 5), number(s.tension, 5)])),
    list('Coordinates', ['', 'q'], Object.entries(e.q).map(([n, x]) => [n, values(x)])),
    list('States', ['', 'value'], Object.entries(e.states).map(([n, x]) => [n, values(x)])),
  ];
}

function statistics(f) {
  const s = f.statistics;
  if (!s) return '';
  return table('Run', [
    f.formulation && ['formulation', f.formulation],
    ['integrator', s.method],
    s.rtol != null && ['relative, absolute tolerance', `${number(s.rtol, 2)}, ${number(s.atol, 2)}`],
    ['steps', String(s.steps)],
    s.rejected != null && ['failed error tests', String(s.rejected)],
    ['evaluations', String(s.evaluations)],
    s.smallest_step != null && ['smallest, largest step', `${number(s.smallest_step, 3)}, ${number(s.largest_step, 3)}`, 's'],
    f.drift != null && ['largest drift of loops', number(f.drift, 3), 'm'],
    f.wall_time != null && ['computing time', number(f.wall_time, 3), 's'],
  ]);
}

// Impulses of an event, the largest first: of hits, joints, constraints and relations.  `least`: smaller ones are rounding errors.
function impulses(e, least = 0) {
  const size = (x) => Math.hypot(...x);
  const out = Object.entries(e.hits || {}).map(([name, x]) => ({ name, force: Array.isArray(x) ? x[0] : x, moment: 0, hit: true }));
  for (const [name, x] of Object.entries({ ...e.impulses, ...e.relation_impulses }))
    out.push(Array.isArray(x) ? { name, force: size(x.slice(0, 3)), moment: size(x.slice(3)) } : { name, force: Math.abs(x), moment: 0 });
  return out.filter((i) => i.force > least || i.moment > least).sort((a, b) => !!b.hit - !!a.hit || b.force - a.force);
}

const some = (list, n) => (list.length > n ? `${list.slice(0, n).join(', ')} and ${list.length - n} more` : list.join(', '));

// What a click on an event shows: its impulses, and speeds that jump.
function eventDetails(e, least) {
  const list = (texts, rows) => (rows.length ? make('table', { class: 'list' }, heads(texts),
    ...rows.slice(0, 40).map((r) => make('tr', {}, ...r.map((x, i) => make('td', { class: i ? 'number' : '' }, x))))) : '');
  const flat = (u) => Object.entries(u || {}).flatMap(([n, x]) => (Array.isArray(x) ? x.map((y, i) => [`${n}.${i + 1}`, y]) : [[n, x]]));
  const after = new Map(flat(e.u_after));
  const jumps = flat(e.u_before).filter(([n, x]) => after.has(n) && after.get(n) !== x).map(([n, x]) => [n, number(x, 5), number(after.get(n), 5)]);
  return make('div', {}, make('h2', {}, `${some(e.names || [], 3)} at ${number(e.t, 6)} s`),
    list(['impulse', 'force [N s]', 'moment [N m s]'], impulses(e, least).map((i) => [i.name, number(clean(i.force, 1e10 * least), 5), number(clean(i.moment, 1e10 * least), 5)])),
    list(['speed', 'before', 'after'], jumps));
}

function events(model, setTime) {
  if (!model.events.length) return '';
  const shown = model.events.slice(0, 400);
  const details = make('div', { class: 'event' });
  const least = 1e-10 * Math.max(0, ...model.events.flatMap((e) => impulses(e).map((i) => Math.max(i.force, i.moment))));
  const energy = Math.max(0, ...model.events.map((e) => Math.max(e.kinetic_before || 0, e.kinetic_after || 0)));
  const largest = (e) => impulses(e, least).slice(0, 1).map((i) => `${i.name} ${number(i.force > 0 ? i.force : i.moment, 3)}`).join('');
  const row = (e) => {
    const line = make('tr', { class: 'link' }, make('td', { class: 'number' }, number(e.t, 6)), make('td', { title: some(e.names || [], 100) }, some(e.names || [], 3)),
      make('td', { class: 'number' }, number(clean(e.kinetic_lost, energy), 4)), make('td', {}, largest(e)));
    line.addEventListener('click', () => {
      setTime(e.t);
      for (const other of line.parentElement.children) other.classList.toggle('on', other === line);
      details.replaceChildren(eventDetails(e, least));
    });
    return line;
  };
  return make('section', {}, make('h2', {}, `Events (${model.events.length})`), make('div', { class: 'scroll' }, make('table', { class: 'list' },
    make('tr', {}, make('th', { class: 'number' }, 't [s]'), make('th', {}, 'what'), make('th', { class: 'number' }, 'kinetic energy lost [J]'), make('th', {}, 'largest impulse [N s]')), ...shown.map(row))),
  shown.length < model.events.length ? make('p', { class: 'note' }, `and ${model.events.length - shown.length} more`) : '', details);
}

export function showTables(model, element, setTime) {
  const f = model.facts;
  if (f.error) element.append(make('p', { class: 'warning' }, `The run ended early: ${f.error.text}`));
  for (const w of f.event_warnings || []) element.append(make('p', { class: 'warning' }, w.text ?? String(w)));
  for (const s of f.singularities || [])
    element.append(make('p', { class: 'warning' }, `Singular configuration at t = ${number(s.time ?? s.from ?? s.t, 4)} s.`));
  if (model.d.missing.length) element.append(make('p', { class: 'note' }, `Meshes that could not be read, so that their bodies are drawn from joints and inertia: ${model.d.missing.slice(0, 5).join(', ')}${model.d.missing.length > 5 ? ' …' : ''}`));
  element.append(...rest(model.d.equilibrium), freedoms(model), energies(f.energy), events(model, setTime), statistics(f));
  element.append(make('p', { class: 'note' }, `linkwork ${model.d.version}. ${plural(model.motion.rows, 'frame')}${model.motion.of > model.motion.rows ? ` of ${model.motion.of}, more where the motion bends` : ''}.`));
}

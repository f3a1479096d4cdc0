// SPDX-License-Identifier: Apache-2.0
// What the file holds, by names: bodies with poses over time, joints while they are there, columns with units.
import { decode, locate } from './decode.js';

const POSE = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'];

const sameTimes = (a, b) => a.length === b.length && a.every((t, i) => t === b[i]);

export async function readModel(text) {
  const d = JSON.parse(text);
  const [motion, table] = await Promise.all([decode(d.motion), decode(d.table)]);
  d.meshes = await Promise.all(d.meshes.map(async (m) => {
    const [vertices, triangles] = await Promise.all([decode(m.vertices), decode(m.triangles)]);
    return { vertices, triangles };
  }));
  const shapes = d.mode_shapes ? await decode(d.mode_shapes) : null;
  return new Model(d, motion, table, shapes);
}

export class Model {
  constructor(d, motion, table, modeShapes) {
    Object.assign(this, {
      d, motion, table, modeShapes, modes: modeShapes ? d.modes.list : [], mode: null, name: d.name, planar: d.planar, bodies: d.bodies, facts: d.facts || d.sens || {}, size: d.size,
      springs: d.springs, contacts: d.contacts, points: d.points, loads: d.loads, shapes: d.shapes,
    });
    this.bodies.forEach((b, i) => Object.assign(b, { id: i, mass: b.mass[0] }));
    for (const s of this.springs) s.length = s.length[0];
    for (const c of this.contacts) Object.assign(c, { radius: c.radius[0], other_radius: c.other_radius[0] });
    this.parts = d.parts.map((p) => ({ ...p.part, since: p.since, until: p.until ?? Infinity }));
    this.joints = this.parts.filter((p) => p.kind === 'joint');
    this.events = (this.facts.events || []).map((e) => ({ ...e, t: e.time }));
    this.start = motion.times.length ? motion.times[0] : 0;
    this.end = motion.times.length ? motion.times[motion.rows - 1] : 0;
    this.makeColumns();
    const g = Math.hypot(...d.gravity);
    this.up = g > 0 ? d.gravity.map((x) => -x / g) : this.planar ? [0, 1, 0] : [0, 0, 1];
    this.place = new Float64Array(7 * this.bodies.length);
    this.findVelocities();
    this.find();
  }

  makeColumns() {
    this.columns = [];
    this.byName = new Map();
    const add = (name, source, index, unit) => {
      const column = { name, unit, times: source.times, values: source.series[index] };
      this.columns.push(column);
      this.byName.set(name, column);
    };
    this.d.names.forEach((name, i) => add(name, this.table, i, this.prettyUnit(this.d.units[i])));
    for (const b of this.bodies.slice(1))
      POSE.forEach((p, i) => add(`${p}.${b.name}`, this.motion, 7 * (b.id - 1) + i, i < 3 ? 'm' : ''));
    // at rest: loads of joints and constraints
    const parts = ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];
    for (const [name, load] of Object.entries(this.d.equilibrium?.loads || {}))
      parts.forEach((p, i) => add(`${p}.${name}`, { times: this.motion.times, series: [[load[i]]] }, 0, i < 3 ? 'N' : 'N m'));
  }

  // A mode moves about the state: shown for one period, so enlarged that the largest displacement is `size`.
  choose(mode, size, reach) {
    const { series } = this.modeShapes;
    const at = (b, k) => series[12 * (b - 1) + k][mode];
    let [far, turn] = [0, 0];
    for (const b of this.bodies.slice(1)) {
      const w = Math.hypot(...[0, 1, 2, 6, 7, 8].map((k) => at(b.id, k)));
      turn = Math.max(turn, w);
      far = Math.max(far, Math.hypot(...[3, 4, 5, 9, 10, 11].map((k) => at(b.id, k))) + w * reach[b.id]);
    }
    const m = this.modes[mode];
    this.mode = { number: mode, at, amplitude: Math.min(far > 0 ? size / far : 0, turn > 0 ? 0.8 / turn : Infinity) };
    this.start = 0;
    this.end = m.kind === 'oscillation' && m.imaginary > 0 ? (2 * Math.PI) / m.imaginary : 1;
  }

  // The state moved by the mode: rotations and displacements Re cos - Im sin of the phase.
  displace(t) {
    const { mode, place: P } = this;
    const phase = (2 * Math.PI * t) / this.end;
    const [c, s] = [mode.amplitude * Math.cos(phase - Math.PI / 2), mode.amplitude * Math.sin(phase - Math.PI / 2)];
    for (const b of this.bodies.slice(1)) {
      const x = (k) => c * mode.at(b.id, k) - s * mode.at(b.id, k + 6);
      const k = 7 * b.id;
      for (let i = 0; i < 3; i++) P[k + i] += x(3 + i);
      const w = [x(0), x(1), x(2)];
      const angle = Math.hypot(...w);
      const f = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
      const [a, v] = [Math.cos(angle / 2), w.map((y) => f * y)];
      const q = [P[k + 3], P[k + 4], P[k + 5], P[k + 6]];
      P[k + 3] = a * q[0] - v[0] * q[1] - v[1] * q[2] - v[2] * q[3];
      P[k + 4] = a * q[1] + v[0] * q[0] + v[1] * q[3] - v[2] * q[2];
      P[k + 5] = a * q[2] - v[0] * q[3] + v[1] * q[0] + v[2] * q[1];
      P[k + 6] = a * q[3] + v[0] * q[2] - v[1] * q[1] + v[2] * q[0];
    }
  }

  prettyUnit(unit) {
    return !unit || unit === '1' ? '' : unit.replace(/\^2/g, '²').replace(/\^3/g, '³').replace(/\*/g, ' ');
  }

  jointNamed(name) {
    if (!this.jointMap) this.jointMap = new Map(this.joints.map((j) => [j.name, j]));
    return this.jointMap.get(name);
  }

  column(name) {
    return this.byName.get(name);
  }

  // Between rows on a straight line; NaN where there is no number.
  value(name, t) {
    const c = this.byName.get(name);
    if (!c) return NaN;
    const { row, part } = locate(c.times, t);
    const a = c.values[row];
    const b = part > 0 ? c.values[row + 1] : a;
    return Number.isNaN(b) ? a : a + part * (b - a);
  }

  isThere(part, t) {
    if (t < part.since || (t >= part.until && part.until !== Infinity)) return false;
    // loads of joints that an event has removed are empty
    const load = this.byName.get(`fx.${part.name}`);
    return !load || this.events.length === 0 || !Number.isNaN(load.values[locate(load.times, t).row]);
  }

  // Poses of all bodies at time t: this.place[7 b ...] = x y z, w x y z.
  find(t = this.start) {
    const { row, part } = locate(this.motion.times, t);
    const { series } = this.motion;
    const P = this.place;
    P.set([0, 0, 0, 1, 0, 0, 0]);
    for (let i = 0, n = series.length; i < n; i++) {
      const s = series[i];
      P[7 + i] = part > 0 ? s[row] + part * (s[row + 1] - s[row]) : s[row];
    }
    if (part > 0) for (const b of this.curved) this.bend(b, row, part);
    for (let k = 10; k < P.length; k += 7) {
      const n = Math.hypot(P[k], P[k + 1], P[k + 2], P[k + 3]) || 1;
      for (let i = 0; i < 4; i++) P[k + i] /= n;
    }
    if (this.mode) this.displace(t);
    return P;
  }

  // Bodies whose velocities are known at the rows of the motion; not of thousands, whose pictures must be fast.
  findVelocities() {
    this.curved = [];
    if (this.bodies.length > 500 || !sameTimes(this.table.times, this.motion.times)) return;
    for (const b of this.bodies.slice(1)) {
      const rates = ['vx', 'vy', 'vz', 'wx', 'wy', 'wz'].map((k) => this.byName.get(`${k}.${b.name}`));
      if (rates.every(Boolean)) this.curved.push({ id: b.id, rates: rates.map((c) => c.values) });
    }
  }

  // Between two rows on the cubic with their velocities, so that fast turns are no polygons:
  // added to the straight line are s (1 - s) [(1 - s) (h x'_0 - d) - s (h x'_1 - d)] with d = x_1 - x_0.
  bend({ id, rates }, row, part) {
    const { times, series } = this.motion;
    const h = times[row + 1] - times[row];
    const k = 7 * (id - 1);
    const [first, last] = [row, row + 1].map((r) => {
      const [x, y, z] = [rates[3][r], rates[4][r], rates[5][r]];
      const [q0, q1, q2, q3] = [3, 4, 5, 6].map((i) => series[k + i][r]);
      // of a quaternion: (0, w) q / 2, w in ground axes
      return [rates[0][r], rates[1][r], rates[2][r], (-x * q1 - y * q2 - z * q3) / 2, (x * q0 + y * q3 - z * q2) / 2,
        (y * q0 + z * q1 - x * q3) / 2, (z * q0 + x * q2 - y * q1) / 2];
    });
    for (let i = 0; i < 7; i++) {
      const d = series[k + i][row + 1] - series[k + i][row];
      const more = part * (1 - part) * ((1 - part) * (h * first[i] - d) - part * (h * last[i] - d));
      // where there is no number the line is straight, and so where it would leave the line by more than its length
      if (Math.abs(more) <= Math.abs(h * first[i]) + Math.abs(h * last[i])) this.place[7 + k + i] += more;
    }
  }

  // A point of a body, in ground axes, where the bodies are at P.
  point(body, at, P = this.place) {
    const k = 7 * body;
    const [w, x, y, z] = [P[k + 3], P[k + 4], P[k + 5], P[k + 6]];
    const tx = 2 * (y * at[2] - z * at[1]);
    const ty = 2 * (z * at[0] - x * at[2]);
    const tz = 2 * (x * at[1] - y * at[0]);
    return [
      P[k] + at[0] + w * tx + y * tz - z * ty,
      P[k + 1] + at[1] + w * ty + z * tx - x * tz,
      P[k + 2] + at[2] + w * tz + x * ty - y * tx,
    ];
  }

  // Rows at which something of the whole motion is measured: not more than n.
  sampleTimes(n) {
    const { times, rows } = this.motion;
    const step = Math.max(1, Math.ceil(rows / n));
    const out = [];
    for (let i = 0; i < rows; i += step) out.push(times[i]);
    return out;
  }

  // How far the solids of bodies are from their origins.
  reaches() {
    const out = this.bodies.map(() => 0);
    for (const s of this.shapes) out[s.body] = Math.max(out[s.body], Math.hypot(s.pose[0], s.pose[1], s.pose[2]) + 0.5 * this.halfSize(s));
    return out;
  }

  halfSize(s) {
    if (s.type === 'box' || s.type === 'ellipsoid') return Math.hypot(...s.size) / 2;
    if (s.type === 'sphere') return s.size[0];
    if (s.type !== 'mesh') return s.size[1] / 2 + s.size[0];
    const { series } = this.d.meshes[s.mesh].vertices;
    const extent = series.map((v, k) => Math.abs(s.size[k]) * v.reduce((m, x) => Math.max(m, Math.abs(x)), 0));
    return Math.hypot(...extent);
  }

  // Points of a shape in the frame of its body, between which it is: corners of boxes, both ends of bars.
  corners(s) {
    const turned = (v) => {
      const [w, x, y, z] = s.pose.slice(3);
      const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
      return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]
        .map((a, i) => a + s.pose[i]);
    };
    const [a, b, c] = s.size;
    const half = s.type === 'box' ? [a / 2, b / 2, c / 2] : s.type === 'cylinder' ? [0.7 * a, 0.7 * a, b / 2] : null;
    if (half) return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => turned(half.map((h, k) => (i >> k & 1 ? h : -h))));
    if (s.type === 'capsule') return [-1, 1].map((e) => turned([0, 0, e * (b / 2 + a)]));
    const r = 0.7 * this.halfSize(s);
    return [0, 1, 2].flatMap((k) => [-1, 1].map((e) => s.pose.slice(0, 3).map((x, i) => (i === k ? x + e * r : x))));
  }

  // Calls see(x, y, z) with points between which all that is drawn lies at these times.
  outline(times, see) {
    // the ground is what the mechanism moves on
    const moving = this.shapes.filter((s) => s.body > 0);
    this.cornerList ||= (moving.length ? moving : this.shapes).map((s) => ({ body: s.body, at: this.corners(s) }));
    const one = (p) => { if (p.every(Number.isFinite)) see(...p); };
    for (const t of times) {
      this.find(t);
      for (const c of this.cornerList) for (const at of c.at) one(this.point(c.body, at));
      for (const j of this.joints) if (!j.implicit) one(this.point(j.parent, j.place));
      for (const s of this.springs) {
        one(this.point(s.from, s.from_at));
        one(this.point(s.to, s.to_at));
      }
    }
    this.find(this.start);
  }

  // The box around all bodies at these times.
  bounds(times) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    this.outline(times, (...p) => p.forEach((x, i) => {
      low[i] = Math.min(low[i], x);
      high[i] = Math.max(high[i], x);
    }));
    if (!(low[0] <= high[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }
}

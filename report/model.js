// SPDX-License-Identifier: Apache-2.0
// What the file holds, by names: bodies with poses over time, joints while they are there, columns with units.
import { decode, locate } from './decode.js';

const POSE = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'];
const ANGLES = {
  revolute: [1], helical: [1], cylindrical: [1, 0], universal: [1, 1], gimbal: [1, 1, 1], planar: [0, 0, 1],
};

export async function readModel(text) {
  const d = JSON.parse(text);
  const [motion, table] = await Promise.all([decode(d.motion), decode(d.table)]);
  d.meshes = await Promise.all(d.meshes.map(async (m) => {
    const [vertices, triangles] = await Promise.all([decode(m.vertices), decode(m.triangles)]);
    return { vertices, triangles };
  }));
  return new Model(d, motion, table);
}

export class Model {
  constructor(d, motion, table) {
    Object.assign(this, {
      d, motion, table, name: d.name, planar: d.planar, bodies: d.bodies, facts: d.facts || {}, size: d.size,
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
    this.find();
  }

  makeColumns() {
    this.columns = [];
    this.byName = new Map();
    const add = (name, source, index) => {
      const column = { name, unit: this.unitOf(name), times: source.times, values: source.series[index] };
      this.columns.push(column);
      this.byName.set(name, column);
    };
    this.d.names.forEach((name, i) => add(name, this.table, i));
    for (const b of this.bodies.slice(1))
      POSE.forEach((p, i) => add(`${p}.${b.name}`, this.motion, 7 * (b.id - 1) + i));
  }

  unitOf(name) {
    const dot = name.indexOf('.');
    const [head, rest] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
    const fixed = {
      energy: 'J', drift: 'm', x: 'm', y: 'm', z: 'm', vx: 'm/s', vy: 'm/s', vz: 'm/s', wx: 'rad/s', wy: 'rad/s',
      wz: 'rad/s', ax: 'm/s²', ay: 'm/s²', az: 'm/s²', fx: 'N', fy: 'N', fz: 'N', tx: 'N m', ty: 'N m', tz: 'N m',
      length: 'm', rate: 'm/s', tension: 'N', power: 'W', work: 'J', gap: 'm', slip: 'm/s', t: 's',
    };
    if (head === 'load') return this.contacts.some((c) => c.name === rest) ? 'N' : this.loadUnit(rest);
    if (head === 'q' || head === 'u' || head === 'udot') return this.coordinateUnit(head, rest);
    return dot < 0 && head !== 't' && head !== 'drift' ? '' : fixed[head] ?? '';
  }

  coordinateUnit(head, rest) {
    let joint = this.jointNamed(rest);
    let index = 1;
    const dot = rest.lastIndexOf('.');
    if (!joint && dot > 0) {
      joint = this.jointNamed(rest.slice(0, dot));
      index = +rest.slice(dot + 1);
    }
    if (!joint) return '';
    const per = { q: '', u: '/s', udot: '/s²' }[head];
    if (joint.type === 'spherical') return head === 'q' ? '' : `rad${per}`;
    if (joint.type === 'free') {
      if (this.planar) return ((head === 'q') === (index === 3) ? 'rad' : 'm') + per;
      return head === 'q' ? (index <= 3 ? 'm' : '') : (index <= 3 ? 'rad' : 'm') + per;
    }
    return ((ANGLES[joint.type] || [])[index - 1] ? 'rad' : 'm') + per;
  }

  loadUnit(name) {
    const motor = this.d.motors.find((m) => m.name === name);
    const joint = motor && this.jointNamed(motor.joint);
    if (!joint) return '';
    return (ANGLES[joint.type] || [])[motor.dof - 1] ? 'N m' : 'N';
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
    return t >= part.since && (t < part.until || part.until === Infinity);
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
    for (let k = 10; k < P.length; k += 7) {
      const n = Math.hypot(P[k], P[k + 1], P[k + 2], P[k + 3]) || 1;
      for (let i = 0; i < 4; i++) P[k + i] /= n;
    }
    return P;
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

  halfSize(s) {
    if (s.type === 'box' || s.type === 'ellipsoid') return Math.hypot(...s.size) / 2;
    if (s.type === 'sphere') return s.size[0];
    if (s.type !== 'mesh') return s.size[1] / 2 + s.size[0];
    const { series } = this.d.meshes[s.mesh].vertices;
    const extent = series.map((v, k) => Math.abs(s.size[k]) * v.reduce((m, x) => Math.max(m, Math.abs(x)), 0));
    return Math.hypot(...extent);
  }

  // The box around all bodies at these times.
  bounds(times) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const grow = (p) => p.forEach((x, i) => {
      if (Number.isFinite(x)) {
        low[i] = Math.min(low[i], x);
        high[i] = Math.max(high[i], x);
      }
    });
    for (const t of times) {
      this.find(t);
      for (const s of this.shapes) {
        const c = this.point(s.body, s.pose);
        const half = this.halfSize(s);
        grow(c.map((x) => x - 0.7 * half));
        grow(c.map((x) => x + 0.7 * half));
      }
      for (const j of this.joints) if (!j.implicit) grow(this.point(j.parent, j.place));
      for (const s of this.springs) {
        grow(this.point(s.from, s.from_at));
        grow(this.point(s.to, s.to_at));
      }
    }
    this.find(this.start);
    if (!(low[0] <= high[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }
}

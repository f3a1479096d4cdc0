// SPDX-License-Identifier: Apache-2.0
// The mechanism in three dimensions: solids, joints, springs, loads, traces, at any time.
import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, Fog, Group, HemisphereLight, Line, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, PlaneGeometry, Plane, Quaternion, Scene, ShadowMaterial, SRGBColorSpace, Vector3,
} from 'three';
import { bodyColour, LOAD, PICKED, theme, TORQUE } from './colours.js';
import { alongAxis, between, poseMatrix, Solids } from './shapes3d.js';

const PRIMITIVES = ['box', 'sphere', 'cylinder'];

// Squares in the plane of x and z, as short pieces: some drivers drop lines that begin behind the camera.
function gridGeometry(half, step) {
  const at = [];
  const piece = Math.ceil(half / 12);
  for (let i = -half; i <= half; i++)
    for (let k = -half; k < half; k += piece) {
      const end = Math.min(half, k + piece);
      at.push(i * step, 0, k * step, i * step, 0, end * step, k * step, 0, i * step, end * step, 0, i * step);
    }
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(at, 3));
}

export class Mechanism {
  constructor(model) {
    this.model = model;
    this.scene = new Scene();
    this.measure();
    this.least = 0.0038 * this.radius; // thinner links could not be seen
    this.thickness = Math.max(Math.min(model.d.thickness, this.radius / 6), 2 * this.least);
    this.matrices = model.bodies.map(() => new Matrix4());
    this.show = { joints: true, springs: true, loads: !!model.d.equilibrium, ghost: model.modes.length > 0 || !!model.d.equilibrium, traces: false, com: false, frames: false, grid: true, points: true };
    this.picked = null;
    this.scaleOfLoads = 1;
    this.addLights();
    this.addBodies();
    this.addJoints();
    this.addSprings();
    this.addContacts();
    this.addLoads();
    this.addPoints();
    this.addFrames();
    this.addFloor();
    this.update(model.start);
  }

  // The box around the whole motion; of what travels far the box at the start, and the camera follows.
  measure() {
    const { model } = this;
    const reach = (b) => Math.hypot(...b.high.map((h, i) => h - b.low[i])) / 2;
    this.bounds = model.bounds(model.sampleTimes(Math.max(2, Math.min(60, 60000 / model.shapes.length))));
    const start = model.bounds([model.start]);
    this.travels = reach(this.bounds) > 2.2 * reach(start) && this.shift() > 2 * reach(start);
    this.box = this.travels ? start : this.bounds;
    this.radius = Math.max(1e-6, reach(this.box)) * (this.travels ? 1.15 : 1);
    this.centre = new Vector3(...this.box.high.map((h, i) => (h + this.box.low[i]) / 2));
    this.whole = reach(this.bounds);
    this.keepOutline();
  }

  // What cameras have to show: the points of the outline that are farthest in many directions.
  keepOutline() {
    const { model } = this;
    const times = this.travels ? [model.start] : model.sampleTimes(Math.max(2, Math.min(60, 20000 / model.shapes.length)));
    const directions = [];
    for (let i = 0; i < 200; i++) {
      // nearly even on a sphere: turned by the golden angle each
      const z = 1 - (2 * i + 1) / 200;
      const r = Math.sqrt(1 - z * z);
      directions.push({ d: [r * Math.cos(2.39996323 * i), r * Math.sin(2.39996323 * i), z], most: -Infinity, at: null });
    }
    model.outline(times, (x, y, z) => {
      for (const k of directions) {
        const far = k.d[0] * x + k.d[1] * y + k.d[2] * z;
        if (far > k.most) Object.assign(k, { most: far, at: new Vector3(x, y, z) });
      }
    });
    this.outline = directions.filter((k) => k.at).map((k) => k.at);
    if (!this.outline.length) this.outline = [this.centre.clone()];
  }

  // How far the centre of mass goes.
  shift() {
    const { model } = this;
    const at = (t) => { model.find(t); return this.massCentre(); };
    const from = at(model.start);
    const far = Math.max(...model.sampleTimes(20).map((t) => Math.hypot(...at(t).map((x, i) => x - from[i]))));
    model.find(model.start);
    return far;
  }

  addLights() {
    this.sun = new DirectionalLight(0xffffff, 2.2);
    const up = new Vector3(...this.model.up);
    const side = new Vector3(1, -0.7, 0.2);
    if (Math.abs(side.dot(up)) > 0.9) side.set(0.6, 1, 0.3);
    this.toSun = this.model.planar ? new Vector3(0.5, 0.7, 3) : up.clone().multiplyScalar(2.6).addScaledVector(side.normalize(), 1.9);
    this.toSun.multiplyScalar(this.radius);
    this.sun.position.copy(this.centre).add(this.toSun);
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    const r = 1.6 * this.radius;
    this.sun.shadow.intensity = 0.9;
    Object.assign(this.sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * this.radius, far: 8 * this.radius });
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -2e-4;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.shadow.radius = 4;
    this.sky = new HemisphereLight(0xffffff, 0x8890a0, 1.25);
    this.sky.position.copy(up);
    this.fill = new AmbientLight(0xffffff, 0.35);
    this.scene.add(this.sun, this.sun.target, this.sky, this.fill);
  }

  // Shapes as instances of three primitives; a capsule is a cylinder and two spheres.
  addBodies() {
    const items = { box: [], sphere: [], cylinder: [] };
    const glass = { box: [], sphere: [], cylinder: [] };
    const count = this.model.bodies.length - 1;
    this.colours = this.model.bodies.map((b, i) => new Color(i ? bodyColour(i, count) : '#888'));
    this.meshItems = [];
    for (const s of this.model.shapes) {
      const list = s.guessed || s.color?.[3] < 1 ? glass : items;
      const colour = s.color ? new Color().setRGB(s.color[0], s.color[1], s.color[2], SRGBColorSpace) : null;
      if (s.type === 'mesh') {
        this.meshItems.push({ mesh: s.mesh, body: s.body, local: poseMatrix(s.pose, s.size), own: colour, colour: colour || this.colours[s.body] });
        continue;
      }
      const put = (kind, local) => list[kind].push({ body: s.body, local, own: colour, colour: colour || this.colours[s.body] });
      const [first, b, c] = s.size;
      const a = s.type === 'box' || s.type === 'ellipsoid' ? first : Math.max(first, this.least);
      if (s.type === 'box') put('box', poseMatrix(s.pose, [a, b, c]));
      if (s.type === 'ellipsoid') put('sphere', poseMatrix(s.pose, [first / 2, b / 2, c / 2]));
      if (s.type === 'sphere') put('sphere', poseMatrix(s.pose, [a, a, a]));
      if (s.type === 'cylinder' || s.type === 'capsule') put('cylinder', poseMatrix(s.pose, [a, a, b]));
      if (s.type === 'capsule')
        for (const end of [-1, 1]) {
          const m = poseMatrix(s.pose).multiply(new Matrix4().makeTranslation(0, 0, (end * b) / 2));
          put('sphere', m.multiply(new Matrix4().makeScale(a, a, a)));
        }
    }
    // other bodies may be inside what is known from the inertia alone
    this.solids = [...PRIMITIVES.map((kind) => new Solids(kind, items[kind])), ...PRIMITIVES.map((kind) => new Solids(kind, glass[kind], { opacity: 0.42, glass: true }))];
    this.solids.push(...this.model.d.meshes.map((m, k) => new Solids(m, this.meshItems.filter((i) => i.mesh === k))));
    this.ghosts = PRIMITIVES.map((kind) => new Solids(kind, [...items[kind], ...glass[kind]].map((i) => ({ ...i })), { opacity: 0.16 }));
    this.ghosts.push(...this.model.d.meshes.map((m, k) => new Solids(m, this.meshItems.filter((i) => i.mesh === k).map((i) => ({ ...i })), { opacity: 0.16 })));
    this.bodyGroup = new Group();
    this.ghostGroup = new Group();
    this.solids.forEach((s) => this.bodyGroup.add(s.mesh));
    this.ghosts.forEach((s) => this.ghostGroup.add(s.mesh));
    this.scene.add(this.bodyGroup, this.ghostGroup);
    this.move(this.model.start);
    const other = this.model.d.ghost;
    if (other) this.put([0, 0, 0, 1, 0, 0, 0, ...other]);
    this.ghosts.forEach((s) => s.follow(this.matrices));
  }

  addJoints() {
    const items = { box: [], sphere: [], cylinder: [] };
    const many = this.model.joints.length > 300;
    const r = (many ? 0.45 : 0.75) * this.thickness;
    const colour = theme().metal;
    for (const part of this.model.joints) {
      if (part.implicit || part.type === 'free' || part.type === 'fixed') continue;
      const put = (kind, body, local) => items[kind].push({ body, local, colour, part });
      const axis = part.axes[0] || [0, 0, 1];
      if (part.type === 'spherical' || part.type === 'gimbal')
        put('sphere', part.parent, poseMatrix(part.place, [1.15 * r, 1.15 * r, 1.15 * r]));
      else if (part.type === 'prismatic') put('box', part.parent, alongAxis(part.place, axis, 0, [1.7 * r, 1.7 * r, 3.4 * r]));
      else if (part.type === 'planar') put('box', part.parent, alongAxis(part.place, [0, 0, 1], 0, [4 * r, 4 * r, 0.5 * r]));
      else put('cylinder', part.parent, alongAxis(part.place, axis, 0, [r, r, (part.type === 'revolute' ? 2.5 : 4) * r]));
      if (part.type === 'universal') put('cylinder', part.child, alongAxis(part.child_place, part.axes[1], 0, [r, r, 4 * r]));
    }
    this.jointSolids = PRIMITIVES.map((kind) => new Solids(kind, items[kind], { metalness: 0.35, roughness: 0.35 }));
    this.jointGroup = new Group();
    this.jointSolids.forEach((s) => this.jointGroup.add(s.mesh));
    this.axes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x888888, transparent: true, opacity: 0.55, fog: false }));
    this.axisParts = this.model.joints.filter((p) => p.axes.length && !p.implicit);
    this.axes.geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * this.axisParts.length), 3));
    this.axes.frustumCulled = false;
    this.scene.add(this.jointGroup, this.axes);
  }

  addSprings() {
    const springs = this.model.springs.filter((s) => s.type === 'spring');
    const many = springs.length > 150;
    this.springs = springs;
    this.coils = new Solids(many ? 'cylinder' : 'helix', springs.map(() => ({ body: 0, local: new Matrix4(), colour: '#7d8896' })),
      { metalness: 0.5, roughness: 0.35 });
    this.coilsAreRods = many;
    this.rods = this.model.parts.filter((p) => p.kind === 'constraint' && (p.type === 'distance' || p.type === 'rope'));
    this.rodSolids = new Solids('cylinder', this.rods.map((p) => ({ body: 0, local: new Matrix4(), colour: p.type === 'rope' ? '#b9975b' : '#8b95a5', part: p })));
    this.springGroup = new Group();
    this.springGroup.add(this.coils.mesh, this.rodSolids.mesh);
    this.scene.add(this.springGroup);
  }

  addContacts() {
    const { contacts } = this.model;
    this.touching = new Solids('sphere', contacts.map(() => ({ body: 0, local: new Matrix4(), colour: LOAD })), { shadow: false });
    this.scene.add(this.touching.mesh);
  }

  contactPoint(c) {
    const at = this.model.point(c.body, c.at);
    if (!(c.radius > 0)) return at;
    let n;
    if (c.on === 'plane') {
      const o = this.model.point(c.other, [0, 0, 0]);
      n = this.model.point(c.other, c.normal).map((x, i) => x - o[i]);
    } else {
      const o = this.model.point(c.other, c.other_at);
      n = at.map((x, i) => x - o[i]);
    }
    const k = Math.hypot(...n) || 1;
    n = n.map((x) => x / k);
    if (Math.hypot(...c.axis) > 0) {
      // the lowest point of the rim: the normal without its part along the axis
      const o = this.model.point(c.body, [0, 0, 0]);
      const a = this.model.point(c.body, c.axis).map((x, i) => x - o[i]);
      const la = Math.hypot(...a);
      const dot = n.reduce((s, x, i) => s + (x * a[i]) / la, 0);
      n = n.map((x, i) => x - (dot * a[i]) / la);
      const l = Math.hypot(...n) || 1;
      n = n.map((x) => x / l);
    }
    return at.map((x, i) => x - c.radius * n[i]);
  }

  // Loads of joints, contacts, applied forces and springs: arrows [where, names of the components].
  addLoads() {
    const { model } = this;
    const has = (name) => model.column(name);
    const of = (kind, name) => ['x', 'y', 'z'].map((a) => `${kind}${a}.${name}`);
    this.arrows = [];
    for (const p of model.parts) {
      if (p.implicit || !has(`fx.${p.name}`)) continue;
      if (this.arrows.some((a) => a.name === p.name)) continue;
      const contact = model.contacts.find((c) => c.name === p.name);
      const at = contact ? () => this.contactPoint(contact) : () => model.point(p.child, p.child_place);
      this.arrows.push({ name: p.name, at, columns: of('f', p.name), colour: LOAD });
      if (p.kind === 'joint') this.arrows.push({ name: p.name, at, columns: of('t', p.name), colour: TORQUE, torque: true });
    }
    for (const c of model.contacts)
      if (has(`fx.${c.name}`) && !this.arrows.some((a) => a.name === c.name))
        this.arrows.push({ name: c.name, at: () => this.contactPoint(c), columns: of('f', c.name), colour: LOAD });
    for (const l of model.loads)
      if (has(`fx.${l.name}`)) this.arrows.push({ name: l.name, at: () => model.point(l.body, l.at), columns: of('f', l.name), colour: '#2f9e44' });
    this.largest = { false: this.largestLoad(false), true: this.largestLoad(true) };
    const items = this.arrows.map((a) => ({ body: 0, local: new Matrix4(), colour: a.colour }));
    this.shafts = new Solids('cylinder', items, { shadow: false });
    this.heads = new Solids('cone', items.map((i) => ({ ...i })), { shadow: false });
    this.loadGroup = new Group();
    this.loadGroup.add(this.shafts.mesh, this.heads.mesh);
    this.scene.add(this.loadGroup);
  }

  // That only one in fifty loads exceeds: a single impact must not make all others invisible.
  largestLoad(torque) {
    const sizes = [];
    const arrows = this.arrows.filter((a) => !!a.torque === torque);
    const rows = this.model.table.rows;
    const step = Math.max(1, Math.ceil((rows * arrows.length) / 20000));
    for (const a of arrows) {
      const v = a.columns.map((n) => this.model.column(n)?.values);
      if (v.some((x) => !x)) continue;
      for (let i = 0; i < rows; i += step) {
        const f = Math.hypot(v[0][i], v[1][i], v[2][i]);
        if (f > 0) sizes.push(f);
      }
    }
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
  }

  addPoints() {
    const { points } = this.model;
    const r = 0.55 * this.thickness;
    this.pointSolids = new Solids('sphere', points.map((p) => ({
      body: p.body, local: new Matrix4().makeTranslation(...p.at).scale(new Vector3(r, r, r)), colour: '#d6409f',
    })), { shadow: false });
    const c = 1.1 * this.thickness;
    this.centreOfMass = new Solids('sphere', [{ body: 0, local: new Matrix4(), colour: '#f5d90a' }], { shadow: false });
    this.centreScale = c;
    this.traceGroup = new Group();
    this.scene.add(this.pointSolids.mesh, this.centreOfMass.mesh, this.traceGroup);
  }

  addFrames() {
    const n = this.model.bodies.length;
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(18 * n), 3));
    const colour = new Float32Array(18 * n);
    for (let b = 0; b < n; b++)
      for (let a = 0; a < 3; a++)
        for (let e = 0; e < 2; e++) colour[18 * b + 6 * a + 3 * e + a] = 0.9;
    g.setAttribute('color', new BufferAttribute(colour, 3));
    this.frames = new LineSegments(g, new LineBasicMaterial({ vertexColors: true, fog: false }));
    this.frames.frustumCulled = false;
    this.scene.add(this.frames);
  }

  // Below the mechanism, or behind a planar one; where bodies touch a plane of the ground, there.
  addFloor() {
    const { model } = this;
    const touch = model.contacts.find((c) => c.on === 'plane' && c.other === 0);
    const normal = touch && !model.planar ? new Vector3(...touch.normal).normalize()
      : model.planar ? new Vector3(0, 0, 1) : new Vector3(...model.up);
    let height = Infinity;
    if (touch && !model.planar) height = new Vector3(...touch.other_at).dot(normal);
    else
      for (let i = 0; i < 8; i++) {
        const p = [0, 1, 2].map((k) => (i >> k & 1 ? this.bounds.high[k] : this.bounds.low[k]));
        height = Math.min(height, normal.dot(new Vector3(...p)));
      }
    if (!touch || model.planar) height -= 0.03 * this.radius;
    this.floor = new Group();
    const cell = 10 ** Math.floor(Math.log10(this.radius));
    const step = this.radius / cell > 5 ? cell : this.radius / cell > 2 ? cell / 2 : cell / 5;
    const half = Math.min(400, Math.ceil(((this.travels ? 1.3 * this.whole : 0) + 9 * this.radius) / step));
    this.cell = step;
    this.grid = new LineSegments(gridGeometry(half, step), new LineBasicMaterial({ transparent: true, depthWrite: false }));
    this.shade = new Mesh(new PlaneGeometry(2 * half * step, 2 * half * step), new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.grid.renderOrder = -1;
    this.shade.renderOrder = -2;
    this.shade.rotateX(-Math.PI / 2);
    this.floor.add(this.grid, this.shade);
    this.floor.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), normal);
    const middle = new Vector3(...this.bounds.high.map((h, i) => (h + this.bounds.low[i]) / 2));
    const at = middle.addScaledVector(normal, height - middle.dot(normal));
    for (const k of ['x', 'y', 'z']) if (Math.abs(normal[k]) < 0.5) at[k] = Math.round(at[k] / step) * step;
    this.floor.position.copy(at);
    this.scene.add(this.floor);
    this.hasPlane = !!touch;
    this.recolour();
  }

  recolour() {
    const c = theme();
    this.scene.background = new Color(c.sky);
    // the floor fades out
    this.scene.fog = new Fog(c.sky, 4.5 * this.radius, 12 * this.radius);
    this.grid.material.color.set(c.floor);
    this.grid.material.opacity = c.dark ? 0.6 : 0.6;
    this.shade.material.opacity = c.dark ? 0.45 : 0.2;
    this.axes.material.color.set(c.muted);
    this.jointSolids.forEach((s) => s.items.forEach((item, i) => {
      item.colour = c.metal;
      s.colour(i, new Color(c.metal));
    }));
    this.paint();
  }

  // ---- time ----

  move(t) {
    this.put(this.model.find(t));
  }

  put(P) {
    const q = new Quaternion();
    const p = new Vector3();
    const one = new Vector3(1, 1, 1);
    this.matrices.forEach((m, b) => {
      const k = 7 * b;
      m.compose(p.set(P[k], P[k + 1], P[k + 2]), q.set(P[k + 4], P[k + 5], P[k + 6], P[k + 3]), one);
    });
  }

  // Shadows where the camera looks.
  light(target) {
    this.sun.position.copy(target).add(this.toSun);
    this.sun.target.position.copy(target);
    this.sun.target.updateMatrixWorld();
  }

  update(t) {
    this.t = t;
    const { show } = this;
    this.move(t);
    this.solids.forEach((s) => s.follow(this.matrices));
    this.ghostGroup.visible = show.ghost;
    this.jointGroup.visible = this.axes.visible = show.joints;
    if (show.joints) this.updateJoints(t);
    this.springGroup.visible = show.springs;
    if (show.springs) this.updateSprings(t);
    this.updateContacts(t);
    this.loadGroup.visible = show.loads;
    if (show.loads) this.updateLoads(t);
    this.pointSolids.mesh.visible = show.points;
    this.pointSolids.follow(this.matrices);
    this.updateMarks(t);
  }

  updateJoints(t) {
    for (const s of this.jointSolids) {
      for (const item of s.items) item.hidden = !this.model.isThere(item.part, t);
      s.follow(this.matrices);
    }
    const p = this.axes.geometry.attributes.position;
    const half = 2.6 * this.thickness;
    this.axisParts.forEach((part, i) => {
      const there = this.model.isThere(part, t);
      const m = poseMatrix(part.place).premultiply(this.matrices[part.parent]);
      const c = new Vector3().setFromMatrixPosition(m);
      const d = new Vector3(...part.axes[0]).transformDirection(m).multiplyScalar(there ? half : 0);
      p.setXYZ(2 * i, c.x - d.x, c.y - d.y, c.z - d.z);
      p.setXYZ(2 * i + 1, c.x + d.x, c.y + d.y, c.z + d.z);
    });
    p.needsUpdate = true;
  }

  updateSprings(t) {
    const m = new Matrix4();
    this.springs.forEach((s, i) => {
      const a = this.model.point(s.from, s.from_at);
      const b = this.model.point(s.to, s.to_at);
      const length = Math.hypot(...a.map((x, k) => b[k] - x));
      const r = this.coilsAreRods ? 0.25 * this.thickness : Math.min(0.75 * this.thickness, 0.12 * Math.max(length, s.length));
      this.coils.set(i, between(a, b, r, m, this.coilsAreRods));
    });
    this.coils.touch();
    this.rods.forEach((p, i) => {
      if (!this.model.isThere(p, t)) return this.rodSolids.set(i, null);
      const [a, b] = [this.model.point(p.parent, p.place), this.model.point(p.child, p.child_place)];
      return this.rodSolids.set(i, between(a, b, 0.22 * this.thickness, m));
    });
    this.rodSolids.touch();
  }

  updateContacts(t) {
    const r = 0.6 * this.thickness;
    const m = new Matrix4();
    this.model.contacts.forEach((c, i) => {
      const there = this.model.value(`load.${c.name}`, t) > 0;
      this.touching.set(i, there ? m.makeTranslation(...this.contactPoint(c)).scale(new Vector3(r, r, r)) : null);
    });
    this.touching.touch();
  }

  updateLoads(t) {
    const m = new Matrix4();
    const width = Math.max(this.thickness, 0.014 * this.radius);
    this.arrows.forEach((a, i) => {
      const f = a.columns.map((n) => this.model.value(n, t));
      const size = Math.hypot(...f);
      const most = this.largest[!!a.torque];
      const length = most > 0 ? Math.min(1.5, size / most) * 0.45 * this.radius * this.scaleOfLoads : 0;
      if (!(length > 0.01 * this.radius)) {
        this.shafts.set(i, null);
        this.heads.set(i, null);
        return;
      }
      const from = a.at();
      const tip = from.map((x, k) => x + (f[k] / size) * length);
      const head = Math.min(0.4 * length, 2 * width);
      const neck = from.map((x, k) => x + (f[k] / size) * (length - head));
      const r = 0.16 * width;
      this.shafts.set(i, between(from, neck, r, m));
      this.heads.set(i, between(tip, tip.map((x, k) => x + (f[k] / size) * head), Math.min(0.5 * width, 0.4 * head), m, false));
    });
    this.shafts.touch();
    this.heads.touch();
  }

  updateMarks(t) {
    this.centreOfMass.mesh.visible = this.show.com;
    if (this.show.com) {
      const c = this.massCentre();
      const r = this.centreScale;
      this.centreOfMass.set(0, new Matrix4().makeTranslation(...c).scale(new Vector3(r, r, r)));
      this.centreOfMass.touch();
    }
    this.frames.visible = this.show.frames;
    if (this.show.frames) {
      const p = this.frames.geometry.attributes.position;
      const l = Math.max(2.5 * this.thickness, 0.04 * this.radius);
      this.model.bodies.forEach((b, i) => {
        const o = this.model.point(i, [0, 0, 0]);
        for (let a = 0; a < 3; a++) {
          const e = this.model.point(i, [a === 0 ? l : 0, a === 1 ? l : 0, a === 2 ? l : 0]);
          p.setXYZ(6 * i + 2 * a, ...o);
          p.setXYZ(6 * i + 2 * a + 1, ...e);
        }
      });
      p.needsUpdate = true;
    }
    this.floor.visible = this.show.grid;
    this.traceGroup.visible = this.show.traces;
    if (this.show.traces && !this.traceGroup.children.length) this.makeTraces();
  }

  massCentre() {
    let mass = 0;
    const c = [0, 0, 0];
    for (const b of this.model.bodies.slice(1)) {
      this.model.point(b.id, b.com).forEach((x, i) => { c[i] += b.mass * x; });
      mass += b.mass;
    }
    return c.map((x) => (mass > 0 ? x / mass : 0));
  }

  // Of the model's points, the selected body, or else of all bodies if they are not many.
  tracePoints() {
    const { model, picked } = this;
    const out = model.points.map((p) => ({ body: p.body, at: p.at, colour: '#d6409f' }));
    if (picked?.kind === 'body') out.push({ body: picked.id, at: model.bodies[picked.id].com, colour: PICKED });
    if (!out.length)
      for (const b of model.bodies.slice(1, 25)) out.push({ body: b.id, at: b.com, colour: this.colours[b.id] });
    return out;
  }

  makeTraces() {
    const keep = this.t;
    this.clearTraces();
    const points = this.tracePoints();
    const times = this.model.sampleTimes(1500);
    const lines = points.map(() => new Float32Array(3 * times.length));
    times.forEach((t, i) => {
      this.model.find(t);
      points.forEach((p, k) => lines[k].set(this.model.point(p.body, p.at), 3 * i));
    });
    points.forEach((p, k) => {
      const g = new BufferGeometry();
      g.setAttribute('position', new BufferAttribute(lines[k], 3));
      const line = new Line(g, new LineBasicMaterial({ color: p.colour, transparent: true, opacity: 0.8, fog: false }));
      line.frustumCulled = false;
      this.traceGroup.add(line);
    });
    this.model.find(keep);
  }

  clearTraces() {
    for (const c of [...this.traceGroup.children]) {
      c.geometry.dispose();
      c.material.dispose();
      this.traceGroup.remove(c);
    }
  }

  // ---- picking ----

  paint() {
    const picked = new Color(PICKED);
    for (const s of this.solids)
      s.items.forEach((item, i) => {
        const on = this.picked?.kind === 'body' && this.picked.id === item.body;
        s.colour(i, on ? picked : item.own || this.colours[item.body]);
      });
    for (const s of [...this.jointSolids, this.rodSolids])
      s.items.forEach((item, i) => {
        const on = this.picked?.kind === 'joint' && this.picked.name === item.part.name;
        s.colour(i, on ? picked : new Color(item.colour));
      });
  }

  pick(what) {
    this.picked = what;
    this.paint();
    this.clearTraces();
  }

  // What is under the ray: joints before the bodies in which they are.
  hit(raycaster) {
    const find = (sets) => {
      let best = null;
      for (const s of sets) {
        if (!s.items.length || !s.mesh.visible) continue;
        for (const h of raycaster.intersectObject(s.mesh, false))
          if (!best || h.distance < best.distance) best = { distance: h.distance, item: s.items[h.instanceId] };
      }
      return best;
    };
    const joint = this.show.joints ? find([...this.jointSolids, this.rodSolids]) : null;
    const body = find(this.solids);
    if (joint && (!body || joint.distance < body.distance + 3 * this.thickness)) return { kind: 'joint', name: joint.item.part.name };
    return body ? { kind: 'body', id: body.item.body } : null;
  }

  // A plane through the mechanism that hides what is before it; null: none.
  section(axis, at) {
    const planes = [];
    if (axis) {
      const k = 'xyz'.indexOf(axis);
      const value = this.bounds.low[k] + at * (this.bounds.high[k] - this.bounds.low[k]);
      planes.push(new Plane(new Vector3(...[0, 1, 2].map((i) => (i === k ? -1 : 0))), value));
    }
    for (const s of [...this.solids, ...this.jointSolids, ...this.ghosts]) {
      s.mesh.material.clippingPlanes = planes;
      s.mesh.material.side = planes.length ? 2 : 0;
      s.mesh.material.needsUpdate = true;
    }
  }
}

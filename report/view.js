// SPDX-License-Identifier: Apache-2.0
// Cameras: perspective and parallel, standard views, following a body.
import { OrthographicCamera, PCFShadowMap, PerspectiveCamera, Raycaster, Vector2, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export class View {
  constructor(canvas, mechanism) {
    this.canvas = canvas;
    this.mechanism = mechanism;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = mechanism.model.shapes.length < 3000;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.up = new Vector3(...mechanism.model.up);
    this.perspective = new PerspectiveCamera(35, 1, 0.01 * mechanism.radius, 60 * mechanism.radius);
    this.parallel = new OrthographicCamera(-1, 1, 1, -1, -30 * mechanism.radius, 60 * mechanism.radius);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => this.request());
    this.controls.maxDistance = 25 * mechanism.radius;
    this.raycaster = new Raycaster();
    this.resize();
    this.look(mechanism.model.planar ? 'front' : 'free');
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
  }

  axes() {
    const { up } = this;
    const x = Math.abs(up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    x.addScaledVector(up, -x.dot(up)).normalize();
    const depth = new Vector3().crossVectors(up, x);
    // the broad side is the front
    const { low, high } = this.mechanism.box;
    const extent = (v) => ['x', 'y', 'z'].reduce((sum, k, i) => sum + Math.abs(v[k]) * (high[i] - low[i]), 0);
    const [wide, deep] = [extent(x), extent(depth)];
    if (wide < 0.5 * deep) return { x: depth, depth: x.negate(), flat: wide < 0.3 * deep };
    return { x, depth, flat: deep < 0.3 * wide };
  }

  // front, side, top: parallel; free: in perspective from above.
  look(name) {
    const { x, depth, flat } = this.axes();
    const planar = this.mechanism.model.planar;
    const directions = {
      front: depth.clone().negate(), side: x.clone(), top: this.up.clone(),
      free: depth.clone().multiplyScalar(-1).addScaledVector(x, flat ? 0.4 : 0.75).addScaledVector(this.up, flat ? 0.3 : 0.5),
    };
    if (planar) {
      const z = new Vector3(0, 0, 1);
      directions.front = z;
      directions.free = z.clone().addScaledVector(x, 0.5).addScaledVector(this.up, 0.35);
      directions.top = this.up.clone().addScaledVector(z, 1e-3);
    }
    const direction = directions[name].normalize();
    this.use(name === 'free' ? this.perspective : this.parallel);
    this.camera.up.copy(Math.abs(direction.dot(this.up)) > 0.99 ? (planar ? new Vector3(0, 0, -1) : depth) : this.up);
    this.fit(direction);
    this.named = name;
  }

  use(camera) {
    this.camera = camera;
    this.controls.object = camera;
    this.resize();
  }

  // So that the whole motion fills the window, below the buttons.  A point p is within it if (p - at).side is at most
  // slope (distance - p.direction) for each of the four sides; in parallel projection slope half, whatever its depth.
  fit(direction) {
    const { radius, outline } = this.mechanism;
    const camera = this.camera;
    const parallel = camera === this.parallel;
    const t = parallel ? 1 : Math.tan((this.perspective.fov * Math.PI) / 360);
    const right = new Vector3().crossVectors(camera.up, direction).normalize();
    const top = new Vector3().crossVectors(direction, right).normalize();
    const buttons = document.body.classList.contains('film') ? 0 : Math.min(0.3, 100 / this.height);
    const sides = [[right, (t * this.aspect) / 1.1, (t * this.aspect) / 1.1], [top, t / (1.1 + buttons), t / 1.1]].map(([v, before, after]) => {
      const far = (sign, slope) => Math.max(...outline.map((p) => sign * p.dot(v) + (parallel ? 0 : slope * p.dot(direction))));
      return { v, before, after, first: far(1, before), last: far(-1, after) };
    });
    const depth = outline.map((p) => p.dot(direction));
    const near = Math.max(...depth);
    const middle = (near + Math.min(...depth)) / 2;
    const size = Math.max(...sides.map((k) => (k.first + k.last) / (k.before + k.after)), parallel ? 0.05 * radius : near + 0.1 * radius);
    this.half = size;
    const at = new Vector3();
    for (const k of sides) at.addScaledVector(k.v, (k.first - size * k.before + size * k.after - k.last) / 2);
    camera.position.copy(at).addScaledVector(direction, parallel ? middle + 4 * radius : size);
    this.controls.target.copy(at).addScaledVector(direction, middle);
    this.parallel.zoom = 1;
    this.resize();
    this.controls.update();
    this.request();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const width = Math.max(2, Math.round(box.width));
    const height = Math.max(2, Math.round(box.height));
    this.aspect = width / height;
    this.height = height;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    const half = this.half || this.mechanism.radius;
    Object.assign(this.parallel, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
    this.parallel.updateProjectionMatrix();
    this.request();
  }

  request() {
    this.stale = true;
  }

  // The camera moves with the body.
  follow(position) {
    if (this.followed) {
      const d = position.clone().sub(this.followed);
      this.camera.position.add(d);
      this.controls.target.add(d);
      this.controls.update();
    }
    this.followed = position.clone();
  }

  draw() {
    this.stale = false;
    this.renderer.render(this.mechanism.scene, this.camera);
  }

  ray(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(at, this.camera);
    return this.raycaster;
  }

  // Where a point appears in the window, in pixels of the page.
  project(p) {
    this.camera.updateMatrixWorld();
    const v = new Vector3(...p).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((v.x + 1) / 2) * box.width, box.top + ((1 - v.y) / 2) * box.height];
  }
}

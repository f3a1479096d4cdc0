// SPDX-License-Identifier: Apache-2.0
// Many equal solids at once: each set is one InstancedMesh whose instances follow bodies.
import {
  BoxGeometry, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Float32BufferAttribute,
  InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';

const along = new Vector3(0, 0, 1);
const UP = new Vector3(0, 1, 0);
const zero = new Matrix4().makeScale(0, 0, 0);

// Triangles of a file, flat where they meet.
function trianglesOf(mesh) {
  const v = mesh.vertices.series;
  const t = mesh.triangles.series;
  const position = new Float32Array(9 * mesh.triangles.rows);
  for (let i = 0; i < mesh.triangles.rows; i++)
    for (let k = 0; k < 3; k++)
      for (let a = 0; a < 3; a++) position[9 * i + 3 * k + a] = v[a][t[k][i]];
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(position, 3));
  g.computeVertexNormals();
  return g;
}

export function geometryOf(kind, detail = 1) {
  if (typeof kind === 'object') return trianglesOf(kind);
  switch (kind) {
    case 'box': return new BoxGeometry(1, 1, 1);
    case 'sphere': return new SphereGeometry(1, detail > 0.5 ? 32 : 12, detail > 0.5 ? 20 : 8);
    case 'cylinder': return new CylinderGeometry(1, 1, 1, detail > 0.5 ? 32 : 10).rotateX(Math.PI / 2);
    case 'cone': return new ConeGeometry(1, 1, 18).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    case 'helix': return helix(9, 20, 7);
    default: throw new Error(kind);
  }
}

// A wire around z from 0 to 1 with straight ends.
function helix(turns, perTurn, ring) {
  const radius = (s) => Math.min(1, Math.max(0, Math.min(s, 1 - s) * 12 - 0.35));
  const centre = (s) => {
    const a = 2 * Math.PI * turns * s;
    return new Vector3(radius(s) * Math.cos(a), radius(s) * Math.sin(a), s);
  };
  const n = turns * perTurn;
  const position = [];
  const normal = [];
  const index = [];
  for (let i = 0; i <= n; i++) {
    const s = i / n;
    const c = centre(s);
    const tangent = centre(Math.min(1, s + 1e-3)).sub(centre(Math.max(0, s - 1e-3)));
    tangent.z *= 0.15; // as if stretched about seven times, which it will be
    tangent.normalize();
    const side = new Vector3(c.x || 1, c.y, 0).normalize();
    const other = new Vector3().crossVectors(tangent, side).normalize();
    for (let k = 0; k < ring; k++) {
      const a = (2 * Math.PI * k) / ring;
      const d = side.clone().multiplyScalar(Math.cos(a)).addScaledVector(other, Math.sin(a));
      position.push(c.x + 0.17 * d.x, c.y + 0.17 * d.y, c.z + 0.02 * d.z);
      normal.push(d.x, d.y, d.z);
      if (i === n) continue;
      const [p, q] = [i * ring + k, i * ring + ((k + 1) % ring)];
      index.push(p, q, p + ring, q, q + ring, p + ring);
    }
  }
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(position, 3));
  g.setAttribute('normal', new Float32BufferAttribute(normal, 3));
  g.setIndex(index);
  return g;
}

export class Solids {
  // items: [{local: Matrix4, body, colour, ...}]
  constructor(kind, items, options = {}) {
    this.items = items;
    const material = new MeshStandardMaterial({
      fog: false,
      roughness: options.roughness ?? 0.55, metalness: options.metalness ?? 0.08,
      transparent: !!options.opacity, opacity: options.opacity ?? 1, depthWrite: !options.opacity,
    });
    this.mesh = new InstancedMesh(geometryOf(kind, items.length > 400 ? 0.2 : 1), material, Math.max(1, items.length));
    this.mesh.count = items.length;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = (!options.opacity || !!options.glass) && options.shadow !== false;
    this.mesh.receiveShadow = this.mesh.castShadow && !options.glass;
    items.forEach((item, i) => this.mesh.setColorAt(i, new Color(item.colour)));
    this.work = new Matrix4();
  }

  follow(matrices) {
    this.items.forEach((item, i) => {
      this.work.multiplyMatrices(matrices[item.body], item.local);
      this.mesh.setMatrixAt(i, item.hidden ? zero : this.work);
    });
    this.touch();
  }

  set(i, matrix) {
    this.mesh.setMatrixAt(i, matrix || zero);
  }

  colour(i, colour) {
    this.mesh.setColorAt(i, colour);
    this.mesh.instanceColor.needsUpdate = true;
  }

  touch() {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
    this.mesh.boundingBox = null;
  }
}

const rotation = new Quaternion();
const direction = new Vector3();
// From a to b, with this radius: for solids of unit length along z; centred, or beginning at a.
export function between(a, b, radius, out, centred = true) {
  direction.set(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const length = direction.length();
  if (!(length > 0) || !Number.isFinite(length)) return out.copy(zero);
  rotation.setFromUnitVectors(along, direction.divideScalar(length));
  const m = centred ? 0.5 : 0;
  return out.compose(
    new Vector3(a[0] + m * (b[0] - a[0]), a[1] + m * (b[1] - a[1]), a[2] + m * (b[2] - a[2])),
    rotation, new Vector3(radius, radius, length));
}

export function poseMatrix(p, scale = [1, 1, 1], out = new Matrix4()) {
  return out.compose(new Vector3(p[0], p[1], p[2]), new Quaternion(p[4], p[5], p[6], p[3]), new Vector3(...scale));
}

export function alongAxis(pose, axis, offset, scale) {
  const turn = new Quaternion().setFromUnitVectors(along, new Vector3(...axis).normalize());
  const frame = poseMatrix(pose);
  const local = new Matrix4().compose(new Vector3(...axis).normalize().multiplyScalar(offset), turn, new Vector3(...scale));
  return frame.multiply(local);
}
export { UP };

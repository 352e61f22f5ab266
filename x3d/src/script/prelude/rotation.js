// Rotations and matrices. Matrices are those of row vectors, as X3D's are: a translation stands in the last row.
(function (x3d) {
  'use strict';
  const { SFVec3f } = x3d.types;
  const vec3 = (v, what) => {
    if (!(v instanceof x3d.Numbers) || v.size !== 3) throw new TypeError(what + ' needs an SFVec3f, and got ' + x3d.nameOf(v));
    return v.v;
  };
  const quaternion = ([x, y, z, angle]) => {
    const l = Math.hypot(x, y, z), s = l > 0 ? Math.sin(angle / 2) / l : 0;
    return [x * s, y * s, z * s, l > 0 ? Math.cos(angle / 2) : 1];
  };
  const product = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
    aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
  const axisAngle = ([x, y, z, w]) => {
    const s = Math.hypot(x, y, z);
    return s > 1e-12 ? [x / s, y / s, z / s, 2 * Math.atan2(s, w)] : [0, 0, 1, 0];
  };
  const dot = (a, b) => a.reduce((sum, n, k) => sum + n * b[k], 0);
  const between = (from, to) => {
    const a = new SFVec3f(from).normalize(), b = new SFVec3f(to).normalize(), axis = a.cross(b), s = axis.length();
    if (s > 1e-9) return [...axis.divide(s).v, Math.atan2(s, a.dot(b))];
    if (a.dot(b) > 0) return [0, 0, 1, 0];
    // Opposite: half a turn about any axis across.
    const across = a.cross(Math.abs(a.x) < 0.9 ? new SFVec3f(1, 0, 0) : new SFVec3f(0, 1, 0)).normalize();
    return [...across.v, Math.PI];
  };
  const rotation = {
    getAxis() { return new SFVec3f(this.x, this.y, this.z); },
    setAxis(axis) { vec3(axis, 'setAxis').forEach((n, k) => { this.v[k] = n; }); this.touch(); },
    inverse() { return this.of([this.x, this.y, this.z, -this.angle]); },
    // First the argument, then this one.
    multiply(other) { return this.of(axisAngle(product(quaternion(this.v), quaternion(rot(other, 'multiply'))))); },
    multVec(v) {
      const q = quaternion(this.v), w = product(product(q, [...vec3(v, 'multVec'), 0]), [-q[0], -q[1], -q[2], q[3]]);
      return v.of(w.slice(0, 3));
    },
    slerp(other, t) {
      const a = quaternion(this.v);
      let b = quaternion(rot(other, 'slerp'));
      if (dot(a, b) < 0) b = b.map((n) => -n);
      const far = (sign) => Math.hypot(...a.map((n, k) => n + sign * b[k]));
      const angle = 2 * Math.atan2(far(-1), far(1)), sin = Math.sin(angle);
      const [wa, wb] = sin > 1e-9 ? [Math.sin((1 - t) * angle) / sin, Math.sin(t * angle) / sin] : [1 - t, t];
      return this.of(axisAngle(a.map((n, k) => wa * n + wb * b[k])));
    },
    getMatrix() { return x3d.made(x3d.types.SFMatrix3f, rows(quaternion(this.v)).flat()); },
  };
  const SFRotation = x3d.define('SFRotation', ['x', 'y', 'z', 'angle'], true, rotation, [0, 0, 1, 0]);
  const rot = (r, what) => {
    if (!(r instanceof SFRotation)) throw new TypeError(what + ' needs an SFRotation, and got ' + x3d.nameOf(r));
    return r.v;
  };
  // Also from an axis and an angle, and from one direction to another.
  const parts = x3d.parts;
  x3d.parts = function (type, args) {
    if (type === SFRotation && args.length === 2) {
      const [a, b] = args;
      args = b instanceof x3d.Numbers ? between(vec3(a, 'SFRotation'), vec3(b, 'SFRotation')) : [...vec3(a, 'SFRotation'), b];
    } else if (type === SFRotation && args.length === 1 && args[0] instanceof x3d.Numbers && args[0].size === 9) {
      args = axisAngle(fromRows(args[0].v));
    }
    return parts(type, args);
  };

  // The rows of the matrix that turns row vectors.
  const rows = ([x, y, z, w]) => [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]];
  const fromRows = (m) => {
    const at = (r, c) => m[r * 3 + c], trace = at(0, 0) + at(1, 1) + at(2, 2);
    if (trace > 0) {
      const s = 2 * Math.sqrt(trace + 1);
      return [(at(1, 2) - at(2, 1)) / s, (at(2, 0) - at(0, 2)) / s, (at(0, 1) - at(1, 0)) / s, s / 4];
    }
    const i = at(1, 1) > at(0, 0) ? (at(2, 2) > at(1, 1) ? 2 : 1) : at(2, 2) > at(0, 0) ? 2 : 0;
    const j = (i + 1) % 3, k = (i + 2) % 3, s = 2 * Math.sqrt(Math.max(0, 1 + at(i, i) - at(j, j) - at(k, k)));
    const q = [];
    q[i] = s / 4;
    q[j] = (at(i, j) + at(j, i)) / s;
    q[k] = (at(i, k) + at(k, i)) / s;
    q[3] = (at(j, k) - at(k, j)) / s;
    return q;
  };

  const invert = (m, n) => {
    const a = Array.from({ length: n }, (_, r) => [...m.slice(r * n, r * n + n), ...Array.from({ length: n }, (_, c) => (r === c ? 1 : 0))]);
    for (let c = 0; c < n; c++) {
      let best = c;
      for (let r = c + 1; r < n; r++) if (Math.abs(a[r][c]) > Math.abs(a[best][c])) best = r;
      if (a[best][c] === 0) throw new RangeError('a matrix without an inverse');
      [a[c], a[best]] = [a[best], a[c]];
      const s = a[c][c];
      a[c] = a[c].map((v) => v / s);
      for (let r = 0; r < n; r++) {
        const f = a[r][c];
        if (r !== c && f !== 0) a[r] = a[r].map((v, k) => v - f * a[c][k]);
      }
    }
    return a.flatMap((row) => row.slice(n));
  };
  const times = (a, b, n) => Array.from({ length: n * n }, (_, k) => {
    const r = Math.floor(k / n), c = k % n;
    let sum = 0;
    for (let i = 0; i < n; i++) sum += a[r * n + i] * b[i * n + c];
    return sum;
  });
  const matrix = (n) => ({
    inverse() { return this.of(invert(this.v, n)); },
    transpose() { return this.of(this.v.map((_, k) => this.v[(k % n) * n + Math.floor(k / n)])); },
    multLeft(b) { return this.of(times(b.v, this.v, n)); },
    multRight(b) { return this.of(times(this.v, b.v, n)); },
    // A row vector on the left; a place of one dimension less has the weight 1.
    multVecMatrix(v) { return apply(this.v, n, v, (m, r, c) => m[r * n + c]); },
    multMatrixVec(v) { return apply(this.v, n, v, (m, r, c) => m[c * n + r]); },
    determinant() {
      if (n === 3) { const m = this.v; return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]); }
      let sum = 0;
      for (let c = 0; c < 4; c++) {
        const minor = this.v.slice(4).filter((_, k) => k % 4 !== c);
        sum += (c % 2 ? -1 : 1) * this.v[c] * x3d.made(x3d.types.SFMatrix3d, minor).determinant();
      }
      return sum;
    },
  });
  const apply = (m, n, v, at) => {
    const from = v.v, w = from.length < n ? [...from, 1] : from, out = [];
    for (let c = 0; c < n; c++) out.push(w.reduce((sum, x, r) => sum + x * at(m, r, c), 0));
    if (from.length === n) return v.of(out);
    const last = out[n - 1];
    return v.of(out.slice(0, n - 1).map((x) => (last !== 0 ? x / last : x)));
  };
  const space = Object.assign(matrix(4), {
    setTransform(translation, rotation, scale, scaleOrientation, center) {
      const I = (k) => Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 1 : k && i > 11 && i < 15 ? k[i - 12] : 0));
      const turn = (r) => { const m = I(); rows(quaternion(r)).forEach((row, i) => row.forEach((x, j) => { m[i * 4 + j] = x; })); return m; };
      const s = scale ? vec3(scale, 'setTransform') : [1, 1, 1], c = center ? vec3(center, 'setTransform') : [0, 0, 0];
      const o = scaleOrientation ? rot(scaleOrientation, 'setTransform') : [0, 0, 1, 0];
      const grow = I();
      s.forEach((x, k) => { grow[k * 5] = x; });
      const all = [I(c.map((x) => -x)), turn([o[0], o[1], o[2], -o[3]]), grow, turn(o),
        turn(rotation ? rot(rotation, 'setTransform') : [0, 0, 1, 0]), I(c), I(translation ? vec3(translation, 'setTransform') : [0, 0, 0])];
      this.set(all.reduce((a, b) => times(a, b, 4)));
    },
    // Translation, rotation and scale, without shear.
    getTransform(translation, rotation, scale) {
      const m = this.v, length = [0, 1, 2].map((r) => Math.hypot(m[r * 4], m[r * 4 + 1], m[r * 4 + 2]));
      const upper = [0, 1, 2].map((r) => [0, 1, 2].map((c) => m[r * 4 + c]));
      const flip = x3d.made(x3d.types.SFMatrix3d, upper.flat()).determinant() < 0 ? -1 : 1;
      const size = length.map((l) => l * flip);
      if (translation) translation.set([m[12], m[13], m[14]]);
      if (rotation) rotation.set(axisAngle(fromRows(upper.map((row, r) => row.map((x) => (size[r] !== 0 ? x / size[r] : 0))).flat())));
      if (scale) scale.set(size);
    },
  });
  const unit = (n) => Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  const names = (n) => Array.from({ length: n * n }, (_, k) => 'm' + (Math.floor(k / n) + 1) + ((k % n) + 1));
  for (const [suffix, single] of [['f', true], ['d', false]]) {
    x3d.define('SFMatrix3' + suffix, names(3), single, matrix(3), unit(3));
    const four = x3d.define('SFMatrix4' + suffix, names(4), single, space, unit(4));
    // m[row][column].
    for (const [type, n] of [[x3d.types['SFMatrix3' + suffix], 3], [four, 4]]) {
      for (let r = 0; r < n; r++) {
        Object.defineProperty(type.prototype, r, {
          get() {
            const row = {};
            for (let c = 0; c < n; c++) Object.defineProperty(row, c, { get: () => this.v[r * n + c], set: (x) => { this['m' + (r + 1) + (c + 1)] = x; }, enumerable: true });
            return row;
          },
        });
      }
    }
  }
  x3d.types.VrmlMatrix = x3d.types.X3DMatrix4 = x3d.types.SFMatrix4f;
  x3d.types.X3DMatrix3 = x3d.types.SFMatrix3f;
})

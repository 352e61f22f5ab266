// Vectors, colours and images as ECMAScript objects: values whose parts may be set. What belongs to a field tells its owner when it changes.
(function (x3d) {
  'use strict';
  const f32 = Math.fround;

  // A number as it is written in files: as short as its precision allows.
  x3d.show = function (v, single) {
    if (!single || !Number.isFinite(v)) return String(v);
    for (let digits = 6; digits < 9; digits++) {
      const short = Number(v.toPrecision(digits));
      if (f32(short) === v) return String(short);
    }
    return String(v);
  };
  x3d.number = function (v, what) {
    if (typeof v === 'number') return v;
    const n = typeof v === 'object' && v !== null ? Number(v.valueOf()) : Number(v);
    if (v === undefined || v === null || (Number.isNaN(n) && String(v) !== 'NaN')) {
      throw new TypeError(what + ' needs a number, and got ' + x3d.nameOf(v));
    }
    return n;
  };
  x3d.nameOf = function (v) {
    if (v === null) return 'null';
    if (Array.isArray(v) && v.typeName) return v.typeName;
    if (typeof v === 'object') return v.typeName || (v.constructor && v.constructor.name) || 'an object';
    return typeof v === 'string' ? 'the string "' + (v.length > 40 ? v.slice(0, 40) + '...' : v) + '"' : String(v);
  };

  // Objects of n numbers. `v` holds them, `o` is called when one has been set.
  class Numbers {
    toString() { return this.v.map((n) => x3d.show(n, this.single)).join(' '); }
    toJSON() { return this.v; }
    getTypeName() { return this.typeName; }
    valueOf() { return this; }
    copy() { return this.of(this.v); }
    of(v) { return x3d.made(this.constructor, v); }
    set(v) {
      const to = x3d.parts(this.constructor, [v]);
      for (let k = 0; k < this.size; k++) this.v[k] = to[k];
      this.touch();
    }
    setValue(...args) { this.set(x3d.made(this.constructor, x3d.parts(this.constructor, args))); }
    getValue() { return Array.from(this.v); }
    touch() { if (this.o) this.o(); }
    assign(other) { this.set(other); return this; }
    equals(other) { return other instanceof Numbers && this.size === other.size && this.v.every((n, k) => n === other.v[k]); }
    *[Symbol.iterator]() { yield* this.v; }
  }
  x3d.Numbers = Numbers;

  x3d.parts = function (type, args) {
    const { size, single } = type.prototype, round = single ? f32 : Number;
    if (args.length === 0) return Array.from(type.prototype.first);
    let from = args;
    if (args.length === 1 && typeof args[0] === 'object' && args[0] !== null) {
      from = args[0] instanceof Numbers ? args[0].v : args[0];
    }
    if (!(from.length >= size)) {
      throw new TypeError(type.prototype.typeName + ' needs ' + size + ' numbers, and got ' + (args.length === 1 ? x3d.nameOf(args[0]) : from.length));
    }
    const v = [];
    for (let k = 0; k < size; k++) v.push(round(x3d.number(from[k], type.prototype.typeName)));
    return v;
  };
  x3d.made = function (type, v) {
    const made = Object.create(type.prototype);
    const single = type.prototype.single;
    made.v = Array.from(v, single ? f32 : Number);
    made.o = null;
    return made;
  };

  // A class of n numbers with names for them.
  x3d.define = function (typeName, names, single, methods, first) {
    const type = { [typeName]: class extends Numbers {
      constructor(...args) {
        super();
        this.v = x3d.parts(type, args);
        this.o = null;
      }
    } }[typeName];
    const round = single ? f32 : Number;
    Object.assign(type.prototype, { typeName, size: names.length, single, first: first || names.map(() => 0) });
    names.forEach((name, k) => {
      const access = {
        get() { return this.v[k]; },
        set(n) { this.v[k] = round(x3d.number(n, typeName + '.' + name)); this.touch(); },
        configurable: true,
      };
      Object.defineProperty(type.prototype, name, access);
      Object.defineProperty(type.prototype, k, access);
    });
    Object.defineProperties(type.prototype, Object.getOwnPropertyDescriptors(methods));
    for (const hidden of ['typeName', 'size', 'single', 'first']) {
      Object.defineProperty(type.prototype, hidden, { enumerable: false });
    }
    return (x3d.types[typeName] = type);
  };

  const same = (a, b, name) => {
    if (!(b instanceof Numbers) || b.size !== a.size) throw new TypeError(name + ' needs an ' + a.typeName + ', and got ' + x3d.nameOf(b));
    return b.v;
  };
  const vector = {
    add(b) { const w = same(this, b, 'add'); return this.of(this.v.map((n, k) => n + w[k])); },
    subtract(b) { const w = same(this, b, 'subtract'); return this.of(this.v.map((n, k) => n - w[k])); },
    multiply(s) { const f = x3d.number(s, 'multiply'); return this.of(this.v.map((n) => n * f)); },
    divide(s) { const f = x3d.number(s, 'divide'); return this.of(this.v.map((n) => n / f)); },
    negate() { return this.of(this.v.map((n) => -n)); },
    dot(b) { const w = same(this, b, 'dot'); return this.v.reduce((sum, n, k) => sum + n * w[k], 0); },
    length() { return Math.sqrt(this.v.reduce((sum, n) => sum + n * n, 0)); },
    normalize() { const l = this.length(); return this.of(l > 0 ? this.v.map((n) => n / l) : this.v); },
    distance(b) { return this.subtract(b).length(); },
    lerp(b, t) { const w = same(this, b, 'lerp'); return this.of(this.v.map((n, k) => n + (w[k] - n) * t)); },
  };
  const space = Object.assign({
    cross(other) {
      const a = this.v, b = same(this, other, 'cross');
      return this.of([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]);
    },
  }, vector);
  for (const [suffix, single] of [['f', true], ['d', false]]) {
    x3d.define('SFVec2' + suffix, ['x', 'y'], single, vector);
    x3d.define('SFVec3' + suffix, ['x', 'y', 'z'], single, space);
    x3d.define('SFVec4' + suffix, ['x', 'y', 'z', 'w'], single, vector);
  }

  // Hue in degrees, from 0 to less than 360.
  const color = {
    getHSV() {
      const [r, g, b] = this.v, high = Math.max(r, g, b), range = high - Math.min(r, g, b);
      if (!(range > 0)) return [0, 0, high];
      const sector = r === high ? (g - b) / range : g === high ? 2 + (b - r) / range : 4 + (r - g) / range;
      return [(sector * 60 + 360) % 360, range / high, high];
    },
    setHSV(h, s, v) {
      const sector = ((((Number(h) % 360) + 360) % 360) / 60), within = sector - Math.floor(sector);
      const p = v * (1 - s), q = v * (1 - s * within), t = v * (1 - s * (1 - within));
      const rgb = [[v, t, p], [q, v, p], [p, v, t], [p, q, v], [t, p, v], [v, p, q]][Math.floor(sector) % 6];
      for (let k = 0; k < 3; k++) this.v[k] = f32(x3d.number(rgb[k], 'setHSV'));
      this.touch();
    },
    lerp(b, t) { const w = same(this, b, 'lerp'); return this.of(this.v.map((n, k) => n + (w[k] - n) * t)); },
  };
  x3d.define('SFColor', ['r', 'g', 'b'], true, color);
  x3d.define('SFColorRGBA', ['r', 'g', 'b', 'a'], true, color, [0, 0, 0, 1]);

  // A picture: width, height and components, and a number for each pixel.
  class SFImage {
    constructor(width = 0, height = 0, comp = 0, array = []) {
      if (typeof width === 'object' && width !== null) ({ width, height, comp, array } = width);
      this.w = [width, height, comp].map((n) => x3d.number(n, 'SFImage') | 0);
      this.pixels = Array.from(array, (n) => x3d.number(n, 'SFImage') >>> 0);
      this.o = null;
    }
    get width() { return this.w[0]; }
    set width(n) { this.w[0] = n | 0; this.touch(); }
    get height() { return this.w[1]; }
    set height(n) { this.w[1] = n | 0; this.touch(); }
    get comp() { return this.w[2]; }
    set comp(n) { this.w[2] = n | 0; this.touch(); }
    get x() { return this.w[0]; }
    set x(n) { this.width = n; }
    get y() { return this.w[1]; }
    set y(n) { this.height = n; }
    get array() { return new x3d.types.MFInt32(...this.pixels.map((n) => n | 0)); }
    set array(a) { this.pixels = Array.from(a, (n) => n >>> 0); this.touch(); }
    touch() { if (this.o) this.o(); }
    copy() { return new SFImage(this.w[0], this.w[1], this.w[2], this.pixels); }
    toString() { return [...this.w, ...this.pixels.map((n) => '0x' + n.toString(16))].join(' '); }
  }
  Object.defineProperty(SFImage.prototype, 'typeName', { value: 'SFImage' });
  x3d.types.SFImage = SFImage;
})

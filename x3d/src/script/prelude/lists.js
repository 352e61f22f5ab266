// Lists of values, and how values of all types are checked and handed over.
(function (x3d) {
  'use strict';
  const { types } = x3d, STATE = Symbol('state');

  // The numbers of which an element consists; 0 for what is no row of numbers.
  const sizeOf = (single) => (types[single] && types[single].prototype.size) || 0;
  const wrong = (type, value) => new TypeError('an ' + type + ' is needed, and it is ' + x3d.nameOf(value));
  // SFVec3f and SFVec3d are of one family, SFVec3f and SFColor are not.
  const family = (name) => name.replace(/[fd]$/, '');

  // A value as a field of a type keeps it: its own copy.
  x3d.coerce = function (type, value) {
    if (type.startsWith('MF')) return list(type, value);
    switch (type) {
      case 'SFBool':
        if (value instanceof Boolean || value instanceof Number) value = value.valueOf();
        if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
        if (typeof value !== 'boolean' && typeof value !== 'number') throw wrong(type, value);
        return Boolean(value);
      case 'SFInt32': return x3d.number(value, type) | 0;
      case 'SFFloat': return Math.fround(x3d.number(value, type));
      case 'SFDouble': case 'SFTime': return x3d.number(value, type);
      case 'SFString':
        if (value === undefined || value === null || (typeof value === 'object' && !(value instanceof String))) throw wrong(type, value);
        return String(value);
      case 'SFNode':
        if (value === null) return null;
        if (x3d.idOf(value) === undefined) throw wrong(type, value);
        return value;
      case 'SFImage':
        if (!(value instanceof types.SFImage)) throw wrong(type, value);
        return value.copy();
    }
    if (value instanceof x3d.Numbers) {
      if (family(value.typeName) !== family(type)) throw wrong(type, value);
    } else if (!Array.isArray(value) || value.typeName || value.length !== sizeOf(type)) {
      throw wrong(type, value);
    }
    return x3d.made(types[type], x3d.parts(types[type], [value]));
  };
  const list = (type, value) => {
    if (!Array.isArray(value) || (value.typeName && family(value.typeName) !== family(type))) throw wrong(type, value);
    return new types[type](...value);
  };
  x3d.first = function (type) {
    switch (type) {
      case 'SFBool': return false;
      case 'SFString': return '';
      case 'SFNode': return null;
      case 'SFInt32': case 'SFFloat': case 'SFDouble': case 'SFTime': return 0;
      default: return new types[type]();
    }
  };
  // Lets a value tell its owner when a part of it is set; without an owner it stands alone.
  x3d.own = function (value, owner) {
    if (value instanceof x3d.Numbers || value instanceof types.SFImage) value.o = owner;
    else if (Array.isArray(value) && value[STATE]) value[STATE].o = owner;
    return value;
  };

  // A list: grows where it is written, with the type's first value between; its elements tell it when they change.
  const define = (typeName, single) => {
    const touch = (state) => { if (state.o) state.o(); };
    const held = (state, value) => x3d.own(x3d.coerce(single, value), () => touch(state));
    const resize = (target, state, n) => {
      if (!(n >= 0 && n < 2 ** 31)) throw new RangeError('a list of ' + n + ' elements');
      const from = target.length;
      if (n < from) { target.length = n; return; }
      for (let k = from; k < n; k++) target[k] = held(state, x3d.first(single));
    };
    const index = (key) => (typeof key === 'string' && /^(0|[1-9][0-9]*)$/.test(key) ? Number(key) : -1);
    const traps = {
      get(target, key) {
        if (key === STATE) return target[STATE];
        return target[key];
      },
      set(target, key, value) {
        const state = target[STATE], k = index(key);
        if (k >= 0) {
          const now = held(state, value);
          resize(target, state, Math.max(target.length, k));
          target[k] = now;
        } else if (key === 'length') {
          resize(target, state, x3d.number(value, typeName + '.length'));
        } else {
          target[key] = value;
          return true;
        }
        touch(state);
        return true;
      },
      deleteProperty(target, key) { return delete target[key]; },
      defineProperty(target, key, description) {
        if (index(key) >= 0 && 'value' in description) return traps.set(target, key, description.value);
        return Reflect.defineProperty(target, key, description);
      },
    };
    const size = sizeOf(single);
    const type = function (...args) {
      const target = [], state = { o: null };
      Object.setPrototypeOf(target, type.prototype);
      Object.defineProperty(target, STATE, { value: state });
      // Also from one list of elements, and from the numbers of which elements consist.
      if (args.length === 1 && Array.isArray(args[0]) && !(size && !args[0].typeName && args[0].length === size && typeof args[0][0] === 'number')) args = Array.from(args[0]);
      if (size && args.length > 0 && args.every((a) => typeof a === 'number')) {
        if (args.length % size !== 0) throw new TypeError(typeName + ' needs ' + size + ' numbers for each element, and got ' + args.length);
        args = Array.from({ length: args.length / size }, (_, k) => args.slice(k * size, k * size + size));
      }
      for (const arg of args) target.push(held(state, arg));
      return new Proxy(target, traps);
    };
    Object.defineProperty(type, 'name', { value: typeName });
    Object.defineProperty(type, Symbol.species, { value: Array });
    type.prototype = Object.create(Array.prototype, {
      constructor: { value: type },
      typeName: { value: typeName },
      getTypeName: { value() { return typeName; } },
      toString: { value() { return '[ ' + Array.from(this, (v) => (single === 'SFString' ? JSON.stringify(v) : single === 'SFFloat' ? x3d.show(v, true) : String(v))).join(', ') + ' ]'; } },
      copy: { value() { return new type(...this); } },
      equals: { value(other) { return Array.isArray(other) && other.length === this.length && this.every((v, k) => v === other[k] || (v && v.equals && v.equals(other[k]))); } },
    });
    types[typeName] = type;
  };
  for (const name of ['Bool', 'Int32', 'Float', 'Double', 'Time', 'String', 'Node', 'Image', 'Rotation', 'Color', 'ColorRGBA',
    'Vec2f', 'Vec2d', 'Vec3f', 'Vec3d', 'Vec4f', 'Vec4d', 'Matrix3f', 'Matrix3d', 'Matrix4f', 'Matrix4d']) define('MF' + name, 'SF' + name);

  // Values on their way between the graph and a Script: booleans, numbers, strings, or a flat list of them.
  x3d.toWire = function (type, value) {
    if (type.startsWith('MF')) {
      const single = 'SF' + type.slice(2), wire = [];
      for (const v of value) {
        const w = x3d.toWire(single, v);
        if (single === 'SFImage') wire.push(w);
        else if (Array.isArray(w)) wire.push(...w);
        else wire.push(w);
      }
      return wire;
    }
    if (type === 'SFNode') return value === null ? -1 : x3d.idOf(value);
    if (type === 'SFImage') return [...value.w, ...value.pixels];
    return value instanceof x3d.Numbers ? value.v : value;
  };
  x3d.fromWire = function (type, wire) {
    if (type.startsWith('MF')) {
      const single = 'SF' + type.slice(2), size = sizeOf(single), all = [];
      if (!size) for (const w of wire) all.push(x3d.fromWire(single, w));
      else for (let k = 0; k + size <= wire.length; k += size) all.push(x3d.made(types[single], wire.slice(k, k + size)));
      return new types[type](...all);
    }
    if (type === 'SFNode') return wire < 0 ? null : x3d.node(wire);
    if (type === 'SFImage') return new types.SFImage(wire[0], wire[1], wire[2], wire.slice(3));
    return types[type] && types[type].prototype.size ? x3d.made(types[type], wire) : wire;
  };
  // What has no class of its own is a value of the language.
  Object.assign(types, { SFBool: Boolean, SFInt32: Number, SFFloat: Number, SFDouble: Number, SFTime: Number, SFString: String });
})

// A Script's own world: its fields as global names, its functions, and what it has sent.
(function (x3d) {
  'use strict';
  const realms = new Map(), { native } = x3d;
  const RESERVED = new Set('break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static await implements package protected interface private public eval arguments undefined NaN Infinity'.split(' '));
  const callable = (name) => /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name);

  // Random numbers that are the same in each run.
  const random = (seed) => {
    let state = (seed * 2654435761 + 1) >>> 0;
    const next = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
      return (t ^ (t >>> 14)) >>> 0;
    };
    return () => (next() * 2097152 + (next() >>> 11)) / 9007199254740992;
  };
  // A clock that shows the scene's time.
  const clock = (Own) => {
    const Clock = function (...args) {
      if (!new.target) return new Own(native.time() * 1000).toString();
      return Reflect.construct(Own, args.length ? args : [native.time() * 1000], new.target === Clock ? Own : new.target);
    };
    Clock.prototype = Own.prototype;
    Clock.UTC = Own.UTC;
    Clock.parse = Own.parse;
    Clock.now = () => native.time() * 1000;
    Object.defineProperty(Own.prototype, 'constructor', { value: Clock });
    return Clock;
  };

  // Makes a world of a fresh global object. Fields are name, type and access; values follow.
  x3d.realm = function (id, global, context, direct, fields) {
    const state = { context, direct, global, evaluate: global.eval, fields: fields.map(([name, type, access]) => ({ name, type, access, value: null, dirty: false, handler: null })), functions: {} };
    x3d.meter(global);
    const hidden = { writable: true, configurable: true, enumerable: false };
    const set = (name, value) => Object.defineProperty(global, name, { value, ...hidden });
    for (const name of Object.keys(x3d.types)) set(name, x3d.types[name]);
    set('Browser', x3d.browser(context));
    set('print', x3d.print);
    set('console', { log: x3d.print, info: x3d.print, warn: x3d.print, error: x3d.print });
    set('TRUE', true);
    set('FALSE', false);
    set('NULL', null);
    global.Math.random = random(id + 1);
    set('Date', clock(global.Date));
    state.fields.forEach((field) => expose(state, field.name, field));
    // Files say `x_changed` of a field that receives and sends, as in routes.
    for (const field of state.fields) {
      const name = field.name + '_changed';
      if (field.access === 'inputOutput' && !state.fields.some((f) => f.name === name)) expose(state, name, field);
    }
    realms.set(id, state);
  };
  const expose = (state, name, field) => {
    Object.defineProperty(state.global, name, {
      get: () => field.value,
      set: (value) => {
        if (typeof value === 'function') { field.handler = value; return; }
        assign(field, value);
      },
      configurable: true,
      enumerable: true,
    });
  };
  const assign = (field, value) => {
    let now;
    try {
      now = x3d.coerce(field.type, value);
    } catch (e) {
      e.message = field.name + ': ' + e.message;
      throw e;
    }
    keep(field, now);
    field.dirty = true;
  };
  const keep = (field, value) => {
    x3d.own(field.value, null);
    field.value = x3d.own(value, () => { field.dirty = true; });
  };
  x3d.keep = function (id, index, wire) {
    const field = realms.get(id).fields[index];
    keep(field, x3d.fromWire(field.type, wire));
  };
  const running = (state, work) => {
    const before = x3d.current;
    x3d.current = state;
    try { return work(); } finally { x3d.current = before; }
  };

  const NAMES = ['initialize', 'prepareEvents', 'eventsProcessed', 'shutdown'];
  // Runs a Script's text and finds its functions: declared, assigned to names, or those of one object.
  x3d.load = function (id, source) {
    const state = realms.get(id);
    const receivers = state.fields.filter((f) => f.access === 'inputOnly' || f.access === 'inputOutput');
    const names = [...NAMES, ...receivers.flatMap((f) => (f.access === 'inputOutput' ? [f.name, 'set_' + f.name] : [f.name]))].filter(callable);
    const tail = '\n;[' + names.map((n) => `typeof ${n} === "function" ? ${n} : undefined`).join(', ') + ']';
    const alone = /^\s*\(\s*\{/.test(source);
    const made = running(state, () => (0, state.evaluate)(alone ? source : source + tail));
    const found = (name) => {
      const f = alone ? made && made[name] : made[names.indexOf(name)];
      return typeof f === 'function' ? (alone ? f.bind(made) : f) : null;
    };
    for (const name of NAMES) state.functions[name] = found(name);
    for (const field of receivers) {
      field.handler = field.handler || found(field.name) || (field.access === 'inputOutput' ? found('set_' + field.name) : null);
    }
    // A function of a field's name hides the field: the field's value is what its name means.
    for (const field of state.fields) {
      const own = Object.getOwnPropertyDescriptor(state.global, field.name);
      if (own && typeof own.value === 'function' && field.access !== 'inputOnly') {
        if (!field.handler && field.access === 'inputOutput') field.handler = own.value;
        if (own.configurable) expose(state, field.name, field);
      }
    }
    return NAMES.filter((n) => state.functions[n]);
  };
  x3d.receive = function (id, index, wire, time) {
    const state = realms.get(id), field = state.fields[index];
    keep(field, x3d.fromWire(field.type, wire));
    if (field.handler) running(state, () => field.handler.call(state.global, x3d.fromWire(field.type, wire), time));
  };
  x3d.call = function (id, name, ...args) {
    const state = realms.get(id), f = state.functions[name];
    if (f) running(state, () => f.apply(state.global, args));
  };
  // What has been assigned since the last time: number of field, type, value, ...
  x3d.flush = function (id) {
    const out = [];
    realms.get(id).fields.forEach((field, k) => {
      if (!field.dirty) return;
      field.dirty = false;
      out.push(k, x3d.toWire(field.type, field.value));
    });
    return out;
  };
  x3d.dispose = function (id) { realms.delete(id); };

  // All Scripts of a runtime have the same classes: none of them changes them, or gets at what is behind them.
  const kinds = [Function.prototype, Object.getPrototypeOf(function* () {}), Object.getPrototypeOf(async function () {}), Object.getPrototypeOf(async function* () {})];
  for (const kind of kinds) Object.defineProperty(kind, 'constructor', { value: undefined });
  for (const type of [...Object.values(x3d.types), x3d.Numbers]) {
    Object.freeze(type);
    Object.freeze(type.prototype);
  }
  // Errors stay as they are: those that come from outside get their message later.
  for (const type of [Object, Array, Map, Symbol, Boolean, Number, String]) {
    Object.freeze(type);
    Object.freeze(type.prototype);
  }
  for (const kind of [...kinds, Object.getPrototypeOf([][Symbol.iterator]()), Object.getPrototypeOf(kinds[1].prototype)]) Object.freeze(kind);
})

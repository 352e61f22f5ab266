// Natives of the language spend steps by what they go through: the runtime asks nobody whether to go on while one is at work.
(function (x3d) {
  'use strict';
  const { spend } = x3d.native, { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const isView = ArrayBuffer.isView, log2 = Math.log2;
  // Below this it is not worth the question; what throws has gone through something all the same.
  const FEW = 32, FAILED = 1000;
  // Bytes that are moved, and characters that are looked at, while a loop turns once; turns while one element is written as JSON.
  const BYTES = 16, CHARACTERS = 4, AS_JSON = 8;

  const count = (n) => (typeof n === 'number' && n > 0 ? n : 0);
  const elements = (v) => {
    if (typeof v === 'string') return v.length / CHARACTERS;
    if (typeof v !== 'object' || v === null) return 0;
    try {
      return count(v.length) || count(v.size) || count(v.byteLength) / BYTES;
    } catch (e) {
      // `Map.prototype` has a size that is none.
      return 0;
    }
  };
  const bytes = (v) => (isView(v) ? v.byteLength / BYTES : elements(v));
  const all = (of) => (self, given) => {
    let n = of(self);
    for (let k = 0; k < given.length; k++) n += of(given[k]);
    return n;
  };
  const sorting = (self) => {
    const n = elements(self);
    return n * log2(n + 2);
  };
  const pay = (n) => {
    if (n >= FEW) spend(n);
  };

  // `before` says what a call costs; with `after`, what comes of it costs, too.
  const wrap = (owner, names, before, after) => {
    for (const name of names) {
      const known = owner && getOwnPropertyDescriptor(owner, name);
      if (!known || typeof known.value !== 'function') continue;
      const native = known.value;
      const metered = {
        [name](...given) {
          pay(before(this, given));
          if (!after) return apply(native, this, given);
          let made;
          try {
            made = apply(native, this, given);
          } catch (e) {
            spend(FAILED);
            throw e;
          }
          pay(elements(made));
          return made;
        },
      }[name];
      Object.defineProperty(metered, 'length', { value: native.length, configurable: true });
      Object.defineProperty(owner, name, { ...known, value: metered });
    }
  };

  // Has the natives of a global object spend.
  x3d.meter = function (g) {
    const typed = getPrototypeOf(g.Uint8Array.prototype);
    const seen = ['includes', 'indexOf', 'lastIndexOf', 'reverse', 'toReversed', 'with'];
    wrap(g.Array.prototype, [...seen, 'copyWithin', 'fill'], elements);
    // `[...list]` goes through it without a question, too.
    for (const lists of [g.Array.prototype, typed]) {
      wrap(lists, ['values'], elements);
      Object.defineProperty(lists, Symbol.iterator, { value: lists.values, writable: true, configurable: true });
    }
    wrap(g.Array.prototype, ['concat', 'flat', 'join', 'slice', 'toLocaleString', 'toSpliced'], all(elements), true);
    // They move memory.
    wrap(g.Array.prototype, ['shift', 'splice', 'unshift'], (self) => elements(self) / BYTES);
    wrap(g.Array.prototype, ['sort', 'toSorted'], sorting);
    wrap(g.Array, ['from', 'of'], all(elements), true);
    wrap(typed, seen, elements);
    wrap(typed, ['copyWithin', 'fill', 'set', 'slice'], all(bytes));
    wrap(typed, ['join', 'toLocaleString'], elements, true);
    wrap(typed, ['sort', 'toSorted'], sorting);
    wrap(getPrototypeOf(g.Uint8Array), ['from', 'of'], all(elements), true);
    wrap(g.ArrayBuffer.prototype, ['resize', 'slice', 'transfer', 'transferToFixedLength'], elements);
    const quick = ['at', 'charAt', 'charCodeAt', 'codePointAt', 'constructor', 'toString', 'valueOf'];
    wrap(g.String.prototype, ownKeys(g.String.prototype).filter((name) => !quick.includes(name)), all(elements), true);
    wrap(g.RegExp.prototype, ['exec', 'test', ...ownKeys(g.RegExp.prototype).filter((name) => typeof name === 'symbol')], all(elements), true);
    wrap(g.Object, ['assign', 'defineProperties', 'entries', 'freeze', 'fromEntries', 'getOwnPropertyDescriptors', 'getOwnPropertyNames', 'groupBy', 'isFrozen', 'isSealed', 'keys', 'seal', 'values'], all(elements), true);
    wrap(g.Reflect, ['ownKeys'], all(elements), true);
    wrap(g.Map, ['groupBy'], all(elements), true);
    wrap(g.Set.prototype, ['difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference', 'union'], all(elements));
    wrap(g.JSON, ['parse', 'stringify'], (self, given) => AS_JSON * elements(given[0]), true);
    wrap(g, ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'parseFloat', 'parseInt', 'unescape'], all(elements), true);
  };
  x3d.meter(globalThis);
})

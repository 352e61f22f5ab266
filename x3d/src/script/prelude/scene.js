// Nodes, the scene around a Script, and the browser that there is none of.
(function (x3d) {
  'use strict';
  const { types, native } = x3d, ID = Symbol('id');
  const nodes = new Map(), userData = new Map();

  const now = () => {
    if (!x3d.current) throw new Error('the scene can be reached while a Script runs only');
    return x3d.current;
  };
  // What happens without directOutput is undefined; other browsers do it.
  const direct = (what) => {
    const script = now();
    if (script.direct || script.warned) return;
    script.warned = true;
    native.warn(what + ' though directOutput is FALSE: done all the same');
  };
  const describe = (id) => {
    const found = native.describe(id);
    if (!found) throw new Error('the node does not exist any more');
    return found;
  };
  const fieldOf = (info, name) => {
    const { names, fields } = info;
    let k = names.get(name);
    if (k === undefined) {
      const bare = name.startsWith('set_') ? name.slice(4) : name.endsWith('_changed') ? name.slice(0, -8) : '';
      k = names.get(bare);
      if (k !== undefined && fields[k].access !== 'inputOutput') k = undefined;
    }
    return k;
  };

  class SFNode {
    constructor(text) {
      if (text === undefined) throw new TypeError('SFNode needs a text');
      const made = native.createFromText(now().context, String(text));
      if (made.length === 0) throw new Error('the text has no node');
      return x3d.node(made[0]);
    }
    getNodeName() { return describe(this[ID]).def || ''; }
    getName() { return describe(this[ID]).def || ''; }
    getNodeTypeName() { return describe(this[ID]).type; }
    getTypeName() { return 'SFNode'; }
    getNodeType() { const { type, bases } = describe(this[ID]); return [...bases, type]; }
    getFieldDefinitions() {
      return describe(this[ID]).fields.map((f) => ({ name: f.name, dataType: f.type, accessType: f.access }));
    }
    getField(name) { return this[name]; }
    setField(name, value) { this[name] = value; }
    getNodeDisplayName() { return describe(this[ID]).def || ''; }
    getNodeUserData(key) { const kept = userData.get(this[ID]); return kept && kept.has(key) ? kept.get(key) : undefined; }
    setNodeUserData(key, value) { const id = this[ID]; if (!userData.has(id)) userData.set(id, new Map()); userData.get(id).set(key, value); }
    removeNodeUserData(key) { const kept = userData.get(this[ID]); if (kept) kept.delete(key); }
    isReal() { return Boolean(native.describe(this[ID])); }
    dispose() { direct('dispose'); native.remove(this[ID]); }
    toString() { const { type, def } = describe(this[ID]); return (def ? 'DEF ' + def + ' ' : '') + type + ' { }'; }
    toVRMLString() { return this.toString(); }
    equals(other) { return x3d.idOf(other) === this[ID]; }
  }
  types.SFNode = SFNode;
  x3d.idOf = (v) => (typeof v === 'object' && v !== null ? v[ID] : undefined);
  x3d.node = function (id) {
    let node = nodes.get(id);
    if (node) return node;
    const raw = describe(id), info = { fields: raw.fields, names: new Map([...raw.aliases, ...raw.fields.map((f, k) => [f.name, k])]) };
    const send = (k, value) => {
      const f = info.fields[k];
      direct('setting ' + f.name + ' of a ' + raw.type);
      native.send(id, k, f.type, x3d.toWire(f.type, value));
    };
    const target = Object.create(SFNode.prototype, { [ID]: { value: id }, typeName: { value: 'SFNode' } });
    node = new Proxy(target, {
      get(_, key) {
        const k = typeof key === 'string' ? fieldOf(info, key) : undefined;
        if (k === undefined) {
          if (typeof key === 'string' && !(key in target) && key !== 'toJSON' && key !== 'then') throw new TypeError('a ' + raw.type + ' has no field ' + key);
          return target[key];
        }
        const { type, access } = info.fields[k];
        const value = x3d.fromWire(type, native.get(id, k));
        return x3d.own(value, access === 'inputOutput' ? () => send(k, value) : () => { throw new TypeError(info.fields[k].name + ' is ' + access); });
      },
      set(_, key, value) {
        const k = fieldOf(info, String(key));
        if (k === undefined) throw new TypeError('a ' + raw.type + ' has no field ' + String(key));
        send(k, x3d.coerce(info.fields[k].type, value));
        return true;
      },
      has(_, key) { return typeof key === 'string' && fieldOf(info, key) !== undefined; },
      ownKeys() { return Reflect.ownKeys(target); },
    });
    nodes.set(id, node);
    return node;
  };
  // A node that has been removed, or a number that may be another one's later.
  x3d.forget = () => nodes.clear();

  const nodeId = (node, what) => {
    const id = x3d.idOf(node);
    if (id === undefined) throw new TypeError(what + ' needs a node, and got ' + x3d.nameOf(node));
    return id;
  };
  const ends = (what, from, out, to, into) => [nodeId(from, what), String(out), nodeId(to, what), String(into)];
  // A route by the names of the standard, and by older ones.
  const routeOf = (from, out, to, into) => ({ sourceNode: from, sourceField: out, destinationNode: to, destinationField: into, fromNode: from, fromField: out, toNode: to, toField: into });
  const addRoute = (...args) => { direct('addRoute'); const e = ends('addRoute', ...args); native.addRoute(...e); return routeOf(args[0], e[1], args[2], e[3]); };
  const deleteRoute = (...args) => {
    direct('deleteRoute');
    const [route] = args;
    if (args.length === 1 && route) args = [route.fromNode, route.fromField, route.toNode, route.toField];
    native.deleteRoute(...ends('deleteRoute', ...args));
  };
  const nodesOf = (ids) => new types.MFNode(...ids.map(x3d.node));
  const urls = (url) => (typeof url === 'string' ? [url] : Array.from(url, String));
  const refused = (name) => () => { throw new Error(name + ' is refused: there is no browser here'); };

  const found = (context, name) => {
    const id = native.find(context, String(name));
    if (id < 0) throw new Error('no node is named ' + name);
    return x3d.node(id);
  };
  // Names that Scripts give: of nodes, of those that they let others have, and of metadata.
  class Named {
    constructor(context) {
      this.context = context;
      for (const own of ['names', 'exported', 'metadata']) Object.defineProperty(this, own, { value: new Map() });
    }
    getNamedNode(name) { return this.names.has(String(name)) ? this.names.get(String(name)) : found(this.context, name); }
    updateNamedNode(name, node) { nodeId(node, 'updateNamedNode'); this.names.set(String(name), node); }
    removeNamedNode(name) { this.names.delete(String(name)); }
    getImportedNode(name) { return this.getNamedNode(name); }
    getExportedNode(name) { return this.exported.has(String(name)) ? this.exported.get(String(name)) : this.getNamedNode(name); }
    updateExportedNode(name, node) { nodeId(node, 'updateExportedNode'); this.exported.set(String(name), node); }
    removeExportedNode(name) { this.exported.delete(String(name)); }
    setMetaData(name, value) { this.metadata.set(String(name), String(value)); }
    // What a Script has said goes before what the file says (META).
    getMetaData(name) {
      if (this.metadata.has(String(name))) return this.metadata.get(String(name));
      return this.said(String(name)) ?? '';
    }
    said(name) { return native.metadata(this.context, name); }
    createNode(type) { return x3d.node(native.createNode(this.context, String(type))); }
    createProto(type) { return this.createNode(type); }
    get specificationVersion() { return '4.0'; }
    get encoding() { return 'Scripted'; }
    get profile() { return profiles.get('Full'); }
    get components() { return []; }
    get worldURL() { return native.worldUrl(); }
  }
  // What has been made of a text or file.
  class X3DScene extends Named {
    constructor(ids) { super(now().context); this.ids = ids; }
    said(name) { native.warn('getMetaData ' + name + ': META statements of what a Script makes are not kept, only what setMetaData says'); }
    get rootNodes() { return nodesOf(this.ids); }
    addRootNode(node) { this.ids = [...this.ids, nodeId(node, 'addRootNode')]; }
    removeRootNode(node) { const id = nodeId(node, 'removeRootNode'); this.ids = this.ids.filter((k) => k !== id); }
    toString() { return 'X3DScene'; }
  }
  // The scene that a Script stands in.
  class X3DExecutionContext extends Named {
    get rootNodes() {
      const all = nodesOf(native.roots(this.context));
      return x3d.own(all, () => { direct('rootNodes'); native.setRoots(this.context, x3d.toWire('MFNode', all)); });
    }
    set rootNodes(nodes) { direct('rootNodes'); native.setRoots(this.context, x3d.toWire('MFNode', x3d.coerce('MFNode', nodes))); }
    addRootNode(node) { this.rootNodes = [...this.rootNodes, node]; }
    removeRootNode(node) { const id = nodeId(node, 'removeRootNode'); this.rootNodes = [...this.rootNodes].filter((n) => x3d.idOf(n) !== id); }
    // What the file is written in, and what it declares.
    get specificationVersion() { return native.declared(this.context)[0]?.[0] || '4.0'; }
    get encoding() { return native.declared(this.context)[0]?.[1] || 'Scripted'; }
    get protos() { return this.declarations(1, false); }
    get externprotos() { return this.declarations(2, true); }
    get units() {
      const words = native.declared(this.context)[3] ?? [], all = [];
      for (let k = 0; k + 2 < words.length; k += 3) all.push(Object.freeze({ category: words[k], name: words[k + 1], conversionFactor: Number(words[k + 2]) }));
      return Object.freeze(all);
    }
    declarations(list, isExternProto) {
      const one = (name) => Object.freeze({ name, isExternProto, newInstance: () => this.createProto(name) });
      return Object.freeze((native.declared(this.context)[list] ?? []).map(one));
    }
    get routes() { return native.routes(this.context).map(([from, out, to, into]) => routeOf(x3d.node(from), out, x3d.node(to), into)); }
    toString() { return 'X3DExecutionContext'; }
  }
  Object.assign(X3DExecutionContext.prototype, { addRoute, deleteRoute });
  Object.assign(X3DScene.prototype, { addRoute, deleteRoute });
  Object.assign(types, { X3DScene, X3DExecutionContext });

  // What a browser can do: all profiles, as far as there is no window.
  const PROFILES = ['Core', 'Interchange', 'Interactive', 'MPEG-4', 'CADInterchange', 'Immersive', 'MedicalInterchange', 'Full'];
  const profiles = new Map(PROFILES.map((name) => [name, Object.freeze({ name, title: name, providerURL: '', components: Object.freeze([]) })]));
  const one = (what, name, known) => { if (!known) throw new Error(name + ' is no ' + what); return known; };
  const component = (name, level) => Object.freeze({ name: String(name), level: Number(level) || 1, title: String(name), providerURL: '' });
  // Constants say their own names, as getNodeType, getFieldDefinitions and the like do.
  types.X3DConstants = new Proxy(Object.freeze({}), { get: (_, name) => (typeof name === 'string' && /^[A-Za-z]\w*$/.test(name) ? name : undefined) });

  const write = (...what) => native.print(what.map(String).join(' '));
  x3d.print = write;
  x3d.browser = function (context) {
    const scene = new X3DExecutionContext(context);
    const create = (text) => native.createFromText(now().context, String(text));
    const load = (url) => native.createFromUrls(now().context, urls(url));
    // To a field of a node, or as what it yields.
    const fromUrl = (url, node, event) => {
      const made = load(url);
      if (node === undefined || node === null) return new X3DScene(made);
      const id = nodeId(node, 'createX3DFromURL'), k = describe(id).fields.findIndex((f) => f.name === event || f.name === String(event).replace(/^set_/, ''));
      if (k < 0) throw new TypeError('the node has no field ' + event);
      native.send(id, k, 'MFNode', made);
      return undefined;
    };
    const browser = {
      getName: () => 'Weft',
      getVersion: () => native.version(),
      getCurrentTime: () => native.time(),
      getCurrentSpeed: () => 0,
      getCurrentFrameRate: () => 0,
      getWorldURL: () => native.worldUrl(),
      getExecutionContext: () => scene,
      getScene: () => scene,
      print: write,
      println: write,
      createVrmlFromString: (text) => nodesOf(create(text)),
      createX3DFromString: (text) => new X3DScene(create(text)),
      createVrmlFromURL: fromUrl,
      createX3DFromURL: fromUrl,
      addRoute,
      deleteRoute,
      createScene: () => new X3DScene([]),
      getProfile: (name) => one('profile', name, profiles.get(String(name))),
      getComponent: component,
      getRenderingProperty: () => undefined,
      getBrowserProperty: () => undefined,
      getBrowserOption: () => undefined,
      beginUpdate: () => undefined,
      endUpdate: () => undefined,
      get supportedProfiles() { return [...profiles.values()]; },
      get supportedComponents() { return []; },
      setDescription: (text) => write(text),
      get name() { return 'Weft'; },
      get version() { return native.version(); },
      get currentTime() { return native.time(); },
      get currentSpeed() { return 0; },
      get currentFrameRate() { return 0; },
      get worldURL() { return native.worldUrl(); },
      get currentScene() { return scene; },
      description: '',
      toString: () => 'Browser',
    };
    for (const name of ['replaceWorld', 'loadURL', 'importDocument', 'changeViewpoint', 'nextViewpoint', 'previousViewpoint', 'firstViewpoint', 'lastViewpoint', 'setBrowserOption', 'setDocument']) browser[name] = refused(name);
    return browser;
  };
})

/**
 * Drops the borrowed page in time.
 *
 * A component must drop a borrowed resource before it returns. componentize-qjs drops it when the
 * host has read the result, which is too late: the host then fails the call with "borrow handles
 * still remain". This module wraps `extract` or `judge` in a function that calls it and then drops
 * its page.
 * The later drop by componentize-qjs is replaced by a function that does nothing.
 *
 * Remove this module once componentize-qjs does it itself. Then the patch finds an unknown
 * structure, or a test shows that it is not needed.
 */

import { COMPONENT, MODULE, Reader, concat, isComponent, join, number, split } from "./wasm.js";

const PAGES = /^magpie:vertical\/pages@/;

/** Matches the export that is lent a page. */
const TAKES_PAGE = /^magpie:vertical\/(extraction@[^#]*#extract|validation@[^#]*#judge)$/;

const DROP = "[resource-drop]page";

/** Encoded function types: a handle as parameter, and no result or an address. */
const HANDLE_TO_NOTHING = [0x60, 1, 0x7f, 0];
const HANDLE_TO_ADDRESS = [0x60, 1, 0x7f, 1, 0x7f];

/** Function bodies and instructions, without local variables. */
const NOTHING = [0, 0x0b];
const LOCAL_GET_0 = [0x20, 0];
const CALL = 0x10;
const END = 0x0b;

/**
 * Patches the one module of the component that exports `extract` or `judge`.
 *
 * @param {Uint8Array} component
 * @returns {Uint8Array}
 */
export function dropPageInTime(component) {
  let patched = 0;
  const visit = (bytes) => {
    const { preamble, sections } = split(bytes);
    if (!isComponent(bytes)) {
      const module = new Module(preamble, sections);
      if (module.lent === undefined || module.drop === undefined) return bytes;
      patched += 1;
      return module.patch();
    }
    const nested = ({ id }) => id === COMPONENT.coreModule || id === COMPONENT.component;
    return join(preamble, sections.map((section) => (nested(section) ? { ...section, body: visit(section.body) } : section)));
  };
  const bytes = visit(component);
  if (patched !== 1) {
    throw new Error(`expected one module that exports \`extract\` or \`judge\`, found ${patched}: this version of componentize-qjs makes components that magpie-vertical does not support`);
  }
  return bytes;
}

/** The core module that translates between the component and the JavaScript engine. */
class Module {
  constructor(preamble, sections) {
    this.preamble = preamble;
    this.sections = sections;
    this.imports = readImports(this.#body(MODULE.import));
    /** Indexes of the function that drops a page, and of the exported one that is lent it. */
    this.drop = this.imports.drop;
    this.lent = readExports(this.#body(MODULE.export)).find(({ name }) => TAKES_PAGE.test(name))?.index;
  }

  patch() {
    const types = readTypes(this.#body(MODULE.type));
    const functions = readCounted(this.#body(MODULE.function));
    const codes = readCounted(this.#body(MODULE.code));
    const nothing = this.imports.functions + functions.count;
    const wrapper = nothing + 1;
    const body = [0, ...LOCAL_GET_0, CALL, ...number(this.lent), ...LOCAL_GET_0, CALL, ...number(this.drop), END];
    this.#replace(MODULE.function, [
      ...number(functions.count + 2),
      ...functions.rest,
      ...number(typeOf(types, HANDLE_TO_NOTHING)),
      ...number(typeOf(types, HANDLE_TO_ADDRESS)),
    ]);
    this.#replace(MODULE.code, concat([
      number(codes.count + 2),
      codes.rest,
      [...number(NOTHING.length), ...NOTHING],
      [...number(body.length), ...body],
    ]));
    this.#replace(MODULE.export, withExport(this.#body(MODULE.export), wrapper));
    this.#replace(MODULE.element, withElement(this.#body(MODULE.element), this.drop, nothing));
    return join(this.preamble, this.sections);
  }

  #body(id) {
    return this.sections.find((section) => section.id === id)?.body ?? Uint8Array.of(0);
  }

  #replace(id, body) {
    this.sections = this.sections.map((section) => (section.id === id ? { id, body: Uint8Array.from(body) } : section));
  }
}

/** Number of imported functions, and the index of the one that drops a page. */
function readImports(body) {
  const reader = new Reader(body);
  let functions = 0;
  let drop;
  for (let left = reader.number(); left > 0; left -= 1) {
    const [module, name, kind] = [reader.text(), reader.text(), reader.byte()];
    if (kind === 0) {
      if (PAGES.test(module) && name === DROP) drop = functions;
      functions += 1;
    }
    skipImport(reader, kind);
  }
  return { functions, drop };
}

/** Skips the type of an import: a function's type, a table, a memory, a global, a tag. */
function skipImport(reader, kind) {
  const limits = () => {
    const flags = reader.byte();
    reader.number();
    if (flags & 1) reader.number();
  };
  if (kind === 0) reader.number();
  else if (kind === 1) (reader.byte(), limits());
  else if (kind === 2) limits();
  else if (kind === 3) (reader.byte(), reader.byte());
  else (reader.byte(), reader.number());
}

function readExports(body) {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => ({
    name: reader.text(),
    kind: reader.byte(),
    index: reader.number(),
  }));
}

/** Returns the exports with another function as the one that is lent a page. */
function withExport(body, wrapper) {
  const all = readExports(body).map((one) => {
    const bytes = new TextEncoder().encode(one.name);
    const index = TAKES_PAGE.test(one.name) ? wrapper : one.index;
    return [...number(bytes.length), ...bytes, one.kind, ...number(index)];
  });
  return [...number(all.length), ...all.flat()];
}

/**
 * Expected bytes before the functions: one segment, for table 0, at an offset set by the linker.
 */
const ELEMENT_HEAD = [1, 2, 0, 0x23, 0, END, 0];

/** Returns the table of indirect calls with one function replaced by another. */
function withElement(body, old, replacement) {
  if (ELEMENT_HEAD.some((byte, index) => body[index] !== byte)) {
    throw new Error("the table of functions is not written as magpie-vertical knows it");
  }
  const reader = new Reader(body, ELEMENT_HEAD.length);
  const functions = Array.from({ length: reader.number() }, () => reader.number());
  if (functions.filter((one) => one === old).length !== 1) {
    throw new Error("the table of functions does not have the one that drops a page");
  }
  const replaced = functions.map((one) => (one === old ? replacement : one));
  return [...ELEMENT_HEAD, ...number(replaced.length), ...replaced.flatMap(number)];
}

/** Encoded function types, in order. */
function readTypes(body) {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => {
    const form = reader.byte();
    const [parameters, results] = [reader.take(reader.number()), reader.take(reader.number())];
    return [form, parameters.length, ...parameters, results.length, ...results];
  });
}

function typeOf(types, wanted) {
  const found = types.findIndex((type) => type.join() === wanted.join());
  if (found < 0) throw new Error("the module has no function of the type that is wanted");
  return found;
}

function readCounted(body) {
  const reader = new Reader(body);
  return { count: reader.number(), rest: reader.rest() };
}

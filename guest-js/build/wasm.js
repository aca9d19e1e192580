/**
 * Parses and writes the outer structure of WebAssembly files: sections, and the numbers in them.
 *
 * It covers only the parts of the format that `lend.js` and `metadata.js` need. The content of a
 * section remains bytes until it is needed.
 */

/** Section ids of a core module. */
export const MODULE = { custom: 0, type: 1, import: 2, function: 3, export: 7, element: 9, code: 10 };

/** Section ids of a component: custom sections, and the two kinds that contain nested files. */
export const COMPONENT = { custom: 0, coreModule: 1, component: 4 };

/** Length of the magic number and version before the sections. */
const PREAMBLE = 8;

/**
 * Splits a module or component into its sections.
 *
 * @param {Uint8Array} bytes
 * @returns {{ preamble: Uint8Array, sections: { id: number, body: Uint8Array }[] }}
 */
export function split(bytes) {
  const reader = new Reader(bytes, PREAMBLE);
  const sections = [];
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.number()) });
  }
  return { preamble: bytes.subarray(0, PREAMBLE), sections };
}

/**
 * Joins sections: the reverse of `split`.
 *
 * @param {Uint8Array} preamble
 * @param {{ id: number, body: Uint8Array }[]} sections
 */
export function join(preamble, sections) {
  return concat([preamble, ...sections.flatMap(({ id, body }) => [[id, ...number(body.length)], body])]);
}

/** Returns true if these bytes are a component, not a core module. */
export function isComponent(bytes) {
  return bytes[6] === 1;
}

/** Concatenates bytes. */
export function concat(parts) {
  return Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

/** Encodes an unsigned number as LEB128, as the format does for all numbers. */
export function number(value) {
  const bytes = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}

/** Encodes a text with its length as prefix. */
export function text(value) {
  const bytes = new TextEncoder().encode(value);
  return [...number(bytes.length), ...bytes];
}

/** Reads a section sequentially. */
export class Reader {
  #bytes;
  #offset;

  constructor(bytes, offset = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** Current offset. */
  get offset() {
    return this.#offset;
  }

  get done() {
    return this.#offset >= this.#bytes.length;
  }

  byte() {
    if (this.done) throw new Error("the WebAssembly file ends in the middle of something");
    return this.#bytes[this.#offset++];
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  take(length) {
    const taken = this.#bytes.subarray(this.#offset, this.#offset + length);
    if (taken.length < length) throw new Error("the WebAssembly file ends in the middle of something");
    this.#offset += length;
    return taken;
  }

  text() {
    return new TextDecoder().decode(this.take(this.number()));
  }

  /** Returns the remaining bytes. */
  rest() {
    return this.#bytes.subarray(this.#offset);
  }
}

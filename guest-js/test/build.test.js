import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { build, BuildError } from "../build/build.js";
import { dropPageInTime } from "../build/lend.js";
import { COMPONENT, MODULE, Reader, isComponent, join, split } from "../build/wasm.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "magpie-vertical-test-"));
});
after(() => fs.rmSync(folder, { recursive: true }));

/** Creates a project that uses this package and its installed dependencies. */
function project(name, source) {
  const root = path.join(folder, name);
  fs.mkdirSync(path.join(root, "src"), { recursive: true });
  fs.mkdirSync(path.join(root, "node_modules"));
  fs.symlinkSync(PACKAGE, path.join(root, "node_modules/magpie-vertical"));
  fs.symlinkSync(path.join(PACKAGE, "node_modules/componentize-qjs"), path.join(root, "node_modules/componentize-qjs"));
  fs.writeFileSync(path.join(root, "package.json"), JSON.stringify({ name, version: "1.2.3", description: "Things.", type: "module" }));
  fs.writeFileSync(path.join(root, "src/index.js"), source);
  return root;
}

const THINGS = `import { defineVertical } from "magpie-vertical";
export default defineVertical({ object: "Thing", attributes: { title: "text" }, extract: () => [] });`;

/** All core modules in a component, at any depth. */
function modules(bytes) {
  if (!isComponent(bytes)) return [bytes];
  const nested = split(bytes).sections.filter(({ id }) => id === COMPONENT.coreModule || id === COMPONENT.component);
  return nested.flatMap(({ body }) => modules(body));
}

test("a project becomes a component whose mended module is a sound one", async () => {
  const { component, bytes } = await build(project("things", THINGS));
  const built = fs.readFileSync(component);
  assert.equal(path.basename(component), "things.wasm");
  assert.equal(built.length, bytes);
  const patched = modules(built).filter((module) => Buffer.from(module).includes("extraction@0.1.3#extract"));
  assert.equal(patched.length, 1);
  await WebAssembly.compile(patched[0]);
  const customs = split(built).sections.filter(({ id }) => id === COMPONENT.custom).map(({ body }) => {
    const reader = new Reader(body);
    return [reader.text(), new TextDecoder().decode(reader.rest())];
  });
  assert.deepEqual(customs.filter(([name]) => ["version", "description", "magpie:contract"].includes(name)), [
    ["version", "1.2.3"], ["description", "Things."], ["magpie:contract", "0.1.3"],
  ]);
});

test("a validator becomes a component that lends its page", async () => {
  const source = `import { defineValidator } from "magpie-vertical";
export default defineValidator({ object: "Thing", judge: () => true });`;
  const { component } = await build(project("checks", source));
  const patched = modules(fs.readFileSync(component)).filter((module) => Buffer.from(module).includes("validation@0.1.3#judge"));
  assert.equal(patched.length, 1);
  await WebAssembly.compile(patched[0]);
});

test("a component is mended once and not twice", async () => {
  const { component } = await build(project("mended", THINGS));
  assert.throws(() => dropPageInTime(fs.readFileSync(component)), /does not have the one that drops a page/);
  assert.throws(() => dropPageInTime(join(Uint8Array.of(0, 97, 115, 109, 13, 0, 1, 0), [])), /found 0/);
});

test("projects that are none are refused with a sentence", async () => {
  await assert.rejects(build(folder), (error) => error instanceof BuildError && /no package\.json/.test(error.message));
  await assert.rejects(build(project("empty", "export default 7;")), /^BuildError: src\/index\.js must have .* default export/);
});

/** Asserts the error of a project whose source has these lines before the vertical. */
async function refused(name, lines, message) {
  const rejected = (error) => {
    assert.ok(error instanceof BuildError, error.stack);
    assert.match(error.message, message);
    return true;
  };
  await assert.rejects(build(project(name, `${lines}\n${THINGS}`)), rejected);
}

test("slips are told with file, line and column", async () => {
  await refused("syntax", "const a = 1;\nconst b = = 2;", /^src\/index\.js:2:11: SyntaxError: Unexpected token '='\n  const b = = 2;\n {12}\^$/);
  await refused("export", 'import { nothing } from "magpie-vertical";', /^src\/index\.js:1:10: SyntaxError: .*'nothing'\n/);
  await refused("top", "null.x;", /^src\/index\.js:1:6: TypeError: /);
  await refused("missing", 'import "./other.js";', /^src\/index\.js: there is no file src\/other\.js$/);
  await refused("package", 'import "no-such-package";', /^src\/index\.js: .*`npm install no-such-package`$/);
  const slip = project("slip", THINGS.replace('"text"', '"txt"'));
  await assert.rejects(build(slip), /^BuildError: src\/index\.js:2:16: unknown kind `txt` of attribute `title`/);
});

test("what the engine can't load is told in words", async () => {
  await refused("node", 'import "node:fs";', /src\/index\.js: `node:fs` can't be imported: a component supports only ES modules/);
  await refused("early", 'console.log("here");', /while the modules were loaded/);
  for (const [name, clause] of [["common", "common"], ["named", "{ a }"]]) {
    const root = project(name, `import ${clause} from "common";\n${THINGS}`);
    fs.mkdirSync(path.join(root, "node_modules/common"));
    fs.writeFileSync(path.join(root, "node_modules/common/index.js"), "module.exports = { [`a`]: 1 };");
    await assert.rejects(build(root), /can't be imported: a component supports only ES modules/);
  }
});

test("sections come apart and together again", () => {
  const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, MODULE.custom, 2, 1, 120, MODULE.custom, 0x83, 0, 1, 121, 7);
  const { preamble, sections } = split(bytes);
  assert.deepEqual(sections.map(({ body }) => body.length), [2, 3]);
  assert.equal(join(preamble, sections).length, bytes.length - 1, "sizes are written as short as can be");
  assert.throws(() => split(bytes.slice(0, -1)), /in the middle/);
});

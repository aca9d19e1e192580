/** Builds a project's folder into a component. */

import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ES_MODULES, explain } from "./explain.js";
import { dropPageInTime } from "./lend.js";
import { stamp } from "./metadata.js";
import { contractOf, writeWit } from "./wit.js";

/** Folder of this package, with symbolic links resolved. */
const PACKAGE = fs.realpathSync(fileURLToPath(new URL("..", import.meta.url)));

/** The tool that combines a JavaScript engine and the code in one component. */
const TOOL = "componentize-qjs";

/** An error of a project's build, with a message for its author. */
export class BuildError extends Error {
  name = "BuildError";
}

/**
 * Builds a project; returns the path and size of its component.
 *
 * @param {string} folder
 * @returns {Promise<{ component: string, bytes: number }>}
 */
export async function build(folder) {
  const project = open(folder);
  const { componentize } = await tool(project.folder);
  const vertical = await load(project);
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "magpie-vertical-"));
  try {
    const wit = writeWit(witFolder(), scratch, vertical.interfaces);
    const entry = writeEntry(project);
    const { component } = await runTool(componentize, {
      witPath: wit,
      world: "built",
      jsSource: fs.readFileSync(entry, "utf8"),
      jsPath: entry,
      moduleRoot: commonFolder(project.folder, PACKAGE),
      // The host is synchronous and provides nothing of WASI.
      sync: true,
      stubWasi: true,
    });
    const finished = stamp(dropPageInTime(component), project.npm, contractOf(witFolder()));
    fs.writeFileSync(project.component, finished);
    return { component: project.component, bytes: finished.length };
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/**
 * Runs the tool. Its errors are wrapped by three layers of engines; the author needs the innermost.
 */
async function runTool(componentize, request) {
  try {
    return await componentize(request);
  } catch (cause) {
    throw new BuildError(describeError(String(cause.message ?? cause)), { cause });
  }
}

/** Matches the module that the engine did not find, and the module that imports it. */
const UNRESOLVED = /Error resolving module '([^']+)' from '\/?([^']+)'/;

/** Matches the engine's error for CommonJS, which it parses as an ES module. */
const NO_ES_MODULE = /Could not find export '[^']*' in module '\/?([^']+)'/;

function describeError(message) {
  if (message.includes("unknown import: `magpie:vertical/")) {
    return "the host was called while the modules were loaded; call it only in `extract` and the like";
  }
  const [, wanted, importer] = UNRESOLVED.exec(message) ?? [];
  if (wanted !== undefined) return `${importer}: \`${wanted}\` can't be imported: ${ES_MODULES}`;
  const [, module] = NO_ES_MODULE.exec(message) ?? [];
  if (module !== undefined) return `${module} can't be imported: ${ES_MODULES}`;
  return message.replace(/^: /, "").trim();
}

/** Opens the project in a folder. */
function open(folder) {
  const manifest = path.join(folder, "package.json");
  if (!fs.existsSync(manifest)) throw new BuildError(`${folder} is no project: it has no package.json`);
  const npm = JSON.parse(fs.readFileSync(manifest, "utf8"));
  const real = fs.realpathSync(folder);
  const name = (npm.name ?? path.basename(real)).replace(/^@.*\//, "");
  const dist = path.join(real, "dist");
  fs.mkdirSync(dist, { recursive: true });
  return {
    folder: real,
    npm,
    dist,
    source: path.join(real, npm.main ?? "src/index.js"),
    component: path.join(dist, `${name}.wasm`),
  };
}

/** Loads the project's own copy of the tool, so that its lock file determines the version. */
async function tool(folder) {
  try {
    const found = createRequire(path.join(folder, "package.json")).resolve(TOOL);
    return await import(pathToFileURL(found).href);
  } catch (cause) {
    throw new BuildError(`${TOOL} is not installed; \`npm install\` does it, or \`npm install --save-dev ${TOOL}\``, { cause });
  }
}

/** Loads the vertical in Node first, because Node reports mistakes in detail. */
async function load(project) {
  const vertical = await importDefault(project);
  if (!vertical?.interfaces) {
    const source = path.relative(project.folder, project.source);
    throw new BuildError(`${source} must have a vertical as its default export: \`export default defineVertical({ … })\` or \`defineValidator({ … })\``);
  }
  return vertical;
}

async function importDefault(project) {
  try {
    return (await import(pathToFileURL(project.source).href)).default;
  } catch (cause) {
    throw new BuildError(explain(cause, project), { cause });
  }
}

/** Writes the entry module of the component. It is a file so that stack traces can name it. */
function writeEntry({ dist, source, npm }) {
  const { name, version, description } = npm;
  const reference = path.relative(dist, source).split(path.sep).join("/");
  const entry = path.join(dist, "component.js");
  fs.writeFileSync(entry, `// Written by \`npm run build\`.
import { exportsOf } from "magpie-vertical/component";
import vertical from ${JSON.stringify(reference)};
export const { description, extraction, clustering, querying, validation } =
  exportsOf(vertical, ${JSON.stringify({ name, version, description })});
`);
  return entry;
}

/** Folder of the contract: in the published package, or beside the package in Magpie's own tree. */
function witFolder() {
  const found = [path.join(PACKAGE, "wit"), path.join(PACKAGE, "../wit")].find((folder) => fs.existsSync(folder));
  if (!found) throw new BuildError(`${PACKAGE} has no folder wit; install magpie-vertical again`);
  return found;
}

/** Deepest common folder of both; modules are read from below it. */
function commonFolder(one, other) {
  const parts = [one, other].map((folder) => folder.split(path.sep));
  const same = parts[0].findIndex((part, index) => part !== parts[1][index]);
  return same < 0 ? one : parts[0].slice(0, same).join(path.sep) || path.sep;
}

/** What goes wrong while the author's modules are loaded, as a sentence with the author's own line. */

import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What modules must be. */
export const ES_MODULES = "a component takes ES modules alone, without what Node has built in";

/** A name imported from a package that is no ES module. */
const COMMON_JS = /The requested module '([^']+)' is a CommonJS module/;

/** How Node shows where a module breaks the language: the file with the line, the line itself, a mark below. */
const SHOWN = /^(file:\/\/\S+|\/\S.*|[A-Za-z]:\\.*):(\d+)\r?\n(.*)\r?\n(\s*)(\^+)/m;

/** A place in a stack: a file with line and column. */
const FRAME = /\(?(file:\/\/[^\s()]+):(\d+):(\d+)\)?$/;

/** Files that are not the author's. */
const OTHERS = /\/node_modules\/|\/(magpie-vertical|guest-js)\/(src|build)\//;

/**
 * An error as text: what is wrong, and where.
 *
 * @param {unknown} error what importing the project's module threw
 * @param {{ folder: string, source: string }} project
 */
export function explained(error, project) {
  if (!(error instanceof Error)) return `something that is no Error was thrown: ${String(error)}`;
  if (error.code === "ERR_MODULE_NOT_FOUND") return notFound(error, project);
  if (error instanceof SyntaxError) {
    const [, wanted] = COMMON_JS.exec(error.message) ?? [];
    if (wanted !== undefined) return `\`${wanted}\` can't be imported: ${ES_MODULES}`;
    const shown = syntaxError(error, project);
    if (shown) return shown;
  }
  const text = error instanceof TypeError && error.sentence ? error.message : `${error.name}: ${error.message}`;
  const place = blamed(error, project);
  return place ? `${place}: ${text}` : text;
}

/**
 * A slip of the language with its line. Node tells the place only of an error that nobody catches, so the
 * module is loaded once more by another Node.
 */
function syntaxError(error, project) {
  const load = `import ${JSON.stringify(pathToFileURL(project.source).href)}`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", load], { encoding: "utf8" });
  const [, file, line, code, indent, mark] = SHOWN.exec(stderr ?? "") ?? [];
  if (file === undefined) return null;
  return `${relative(file, project)}:${line}:${indent.length + 1}: ${error.name}: ${error.message}\n  ${code}\n  ${indent}${mark}`;
}

function notFound(error, project) {
  const [, wanted, importer] = /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/.exec(error.message) ?? [];
  if (wanted === undefined) return error.message;
  const place = relative(importer, project);
  if (wanted.startsWith("file:") || path.isAbsolute(wanted)) return `${place}: there is no file ${relative(wanted, project)}`;
  return `${place}: the package \`${wanted}\` is not installed: \`npm install ${wanted}\``;
}

/** The innermost place of the author's in a stack. */
function blamed(error, project) {
  const frames = String(error.stack).split("\n").map((line) => FRAME.exec(line)).filter(Boolean);
  const own = frames.find(([, file]) => !OTHERS.test(file));
  return own && `${relative(own[1], project)}:${own[2]}:${own[3]}`;
}

/** A file as the author calls it: `src/index.js`. */
function relative(file, { folder }) {
  const place = file.startsWith("file:") ? fileURLToPath(file) : file;
  const below = path.relative(folder, place);
  return below.startsWith("..") ? place : below.split(path.sep).join("/");
}

/** Explains errors of loading the author's modules, with the author's own line. */

import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Requirement on modules, as part of messages. */
export const ES_MODULES = "a component supports only ES modules, without Node's built-in modules";

/** Matches Node's error for a name imported from a package that is not an ES module. */
const COMMON_JS = /The requested module '([^']+)' is a CommonJS module/;

/**
 * Matches Node's report of a syntax error: the file and line number, the line itself, and a mark
 * below.
 */
const SHOWN = /^(file:\/\/\S+|\/\S.*|[A-Za-z]:\\.*):(\d+)\r?\n(.*)\r?\n(\s*)(\^+)/m;

/** Matches the position in a stack frame: a file with line and column. */
const FRAME = /\(?(file:\/\/[^\s()]+):(\d+):(\d+)\)?$/;

/** Matches files that are not the author's. */
const OTHERS = /\/node_modules\/|\/(magpie-vertical|guest-js)\/(src|build)\//;

/**
 * Describes an error: the problem and its position.
 *
 * @param {unknown} error thrown by importing the project's module
 * @param {{ folder: string, source: string }} project
 */
export function explain(error, project) {
  if (!(error instanceof Error)) return `a value that is not an Error was thrown: ${String(error)}`;
  if (error.code === "ERR_MODULE_NOT_FOUND") return notFound(error, project);
  if (error instanceof SyntaxError) {
    const [, wanted] = COMMON_JS.exec(error.message) ?? [];
    if (wanted !== undefined) return `\`${wanted}\` can't be imported: ${ES_MODULES}`;
    const shown = syntaxError(error, project);
    if (shown) return shown;
  }
  const text = error instanceof TypeError && error.sentence ? error.message : `${error.name}: ${error.message}`;
  const position = authorsPosition(error, project);
  return position ? `${position}: ${text}` : text;
}

/**
 * Describes a syntax error with its line. Node prints the position only for an uncaught error, so
 * the module is loaded again in another Node process.
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
  const position = relative(importer, project);
  if (wanted.startsWith("file:") || path.isAbsolute(wanted)) return `${position}: there is no file ${relative(wanted, project)}`;
  return `${position}: the package \`${wanted}\` is not installed: \`npm install ${wanted}\``;
}

/** Innermost position in the author's code in a stack. */
function authorsPosition(error, project) {
  const frames = String(error.stack).split("\n").map((line) => FRAME.exec(line)).filter(Boolean);
  const own = frames.find(([, file]) => !OTHERS.test(file));
  return own && `${relative(own[1], project)}:${own[2]}:${own[3]}`;
}

/** Path of a file relative to the project: `src/index.js`. */
function relative(file, { folder }) {
  const absolute = file.startsWith("file:") ? fileURLToPath(file) : file;
  const below = path.relative(folder, absolute);
  return below.startsWith("..") ? absolute : below.split(path.sep).join("/");
}

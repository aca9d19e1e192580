/** Writes the contract with a world of exactly the interfaces that a vertical exports. */

import fs from "node:fs";
import path from "node:path";

/** File that declares the version of the contract. */
const CONTRACT_FILE = "vertical.wit";

/**
 * Copies the contract and adds the world `built`. For interfaces that are not exported, the host
 * works by the schema.
 *
 * @param {string} source the contract's folder
 * @param {string} target
 * @param {string[]} interfaces
 */
export function writeWit(source, target, interfaces) {
  for (const file of fs.readdirSync(source).filter((name) => name.endsWith(".wit"))) {
    fs.copyFileSync(path.join(source, file), path.join(target, file));
  }
  const lines = ["import pages;", "import host;", ...interfaces.map((name) => `export ${name};`)];
  const text = `package magpie:vertical@${contractOf(source)};\n\nworld built {\n  ${lines.join("\n  ")}\n}\n`;
  fs.writeFileSync(path.join(target, "built.wit"), text);
  return target;
}

/** Returns the version of the contract: `0.1.3`. */
export function contractOf(folder) {
  const text = fs.readFileSync(path.join(folder, CONTRACT_FILE), "utf8");
  const version = /^package magpie:vertical@(\S+);/m.exec(text)?.[1];
  if (!version) throw new Error(`${path.join(folder, CONTRACT_FILE)} names no version of the contract`);
  return version;
}

#!/usr/bin/env node
/** `magpie-vertical build [FOLDER]`: builds a project's component. */

import { BuildError, build } from "./build.js";

const [command, folder = ".", ...rest] = process.argv.slice(2);
if (command !== "build" || rest.length > 0) {
  console.error("usage: magpie-vertical build [FOLDER]");
  process.exit(2);
}
try {
  const { component, bytes } = await build(folder);
  console.log(`${component} (${(bytes / 2 ** 20).toFixed(1)} MiB)`);
} catch (error) {
  // The caller reports the failure itself. For a defect of the build, the stack is useful.
  console.error(error instanceof BuildError ? error.message : error);
  process.exit(1);
}

#!/bin/sh
# Builds dist/talks.wasm: generates the bindings of the contract, compiles them with talks.c to a
# core module, and turns that into a component. Tools that are missing are installed below this
# folder, in the versions named here, in requirements.txt and in package.json.
set -eu
cd "$(dirname "$0")"

wit_bindgen_version=0.63.0
wit=${npm_package_config_wit:-../../wit}

# The generator of the bindings.
wit_bindgen=wit-bindgen
if ! wit-bindgen --version 2>/dev/null | grep -qF "$wit_bindgen_version"; then
    wit_bindgen=.tools/bin/wit-bindgen
    [ -x "$wit_bindgen" ] && "$wit_bindgen" --version | grep -qF "$wit_bindgen_version" ||
        cargo install --quiet --locked --root .tools --no-default-features --features c \
            "wit-bindgen-cli@$wit_bindgen_version"
fi

# A C compiler with a C library for WASI.
if ! .venv/bin/python -m pip freeze 2>/dev/null | grep -qxF "$(cat requirements.txt)"; then
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
fi

# jco, which turns modules into components.
[ -d node_modules ] || npm install --no-audit --no-fund --loglevel=error

mkdir -p dist
"$wit_bindgen" c --world extractor --out-dir dist "$wit"
# The stack is a part of the linear memory, so it is kept small.
.venv/bin/python -m ziglang cc -target wasm32-wasi -mexec-model=reactor -Os -Wall -Wextra \
    -Wl,-z,stack-size=65536 -Idist -o dist/talks.core.wasm \
    talks.c dist/extractor.c dist/extractor_component_type.o
node_modules/.bin/jco new dist/talks.core.wasm --wasi-reactor -o dist/talks.wasm

#!/usr/bin/env bash
# Compiles the contracts here again into contracts.json, with the compiler that they name. Needs Node with npm.
set -euo pipefail
cd "$(dirname "$0")"
compiler=../../.local/solc
mkdir -p "$compiler"
npm install --prefix "$compiler" --no-save --no-audit --no-fund --ignore-scripts --silent solc@0.8.30
NODE_PATH="$compiler/node_modules" node compile.cjs

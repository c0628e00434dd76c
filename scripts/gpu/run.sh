#!/usr/bin/env bash
# Runs one part of the tests on a machine with a real GPU and no Node (Electron takes its place). Source enter.sh first.
#
#   scripts/gpu/run.sh conformance|probe|e2e|interop|snippets|kernels|bench|screenshots OUT [ARGUMENT…]
#
# Everything goes to OUT: NAME.log, reports as JSON, pictures. Further arguments go to the test runner. The exit code is
# that of the part. GPU_IPC_DRIVER is `real` unless it is set.
set -uo pipefail
cd "$(dirname "$0")/../.."
part=${1:?which part: conformance, probe, e2e, interop, snippets, kernels, bench, screenshots}
out=$(realpath -m "${2:?the folder for logs and pictures}")
shift 2
mkdir -p "$out"
: "${ELECTRON_OVERRIDE_DIST_PATH:?source .gpukit/b/enter.sh first}"
export GPU_IPC_DRIVER=${GPU_IPC_DRIVER:-real}
export NO_COLOR=1

# Playwright asks this package where Electron is; a kit may come without it.
if [ ! -e node_modules/electron/index.js ]; then
  mkdir -p node_modules/electron
  echo "module.exports = process.env.ELECTRON_OVERRIDE_DIST_PATH + '/electron';" >node_modules/electron/index.js
fi

# Only Electron may see the libraries of the kit: other programs of the machine keep their own (the tests start Python
# without them, see e2e/harness/peer.ts).
node() {
  LD_LIBRARY_PATH=$(dirname "$ELECTRON_OVERRIDE_DIST_PATH")/lib ELECTRON_RUN_AS_NODE=1 "$ELECTRON_OVERRIDE_DIST_PATH/electron" "$@"
}
playwright() {
  PLAYWRIGHT_JSON_OUTPUT_FILE=$out/$part.json node node_modules/@playwright/test/cli.js test \
    --reporter=list,json --output="$out/$part-results" "$@"
}

{
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv 2>/dev/null || echo "nvidia-smi: not found"
  case $part in
    conformance)
      node node_modules/vitest/vitest.mjs run native-bridge/conformance/ \
        --reporter=verbose --reporter=json --outputFile.json="$out/$part.json" "$@"
      ;;
    probe)
      # measured.tsv takes the place of native-bridge/simulator/probe/measured.tsv. Arguments are groups of steps.
      {
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^ */# /'
        echo "# $(date -u +%F), $(uname -sr): step, result, detail."
        build/native/driver-probe libcuda.so.1 "$@"
      } >"$out/measured.tsv"
      wc -l "$out/measured.tsv"
      ;;
    e2e) playwright --grep-invert '@interop' "$@" ;;
    interop) playwright --grep '@interop' "$@" ;;
    snippets)
      GPU_IPC_SNIPPETS_OUT=$out/snippets.md node node_modules/vitest/vitest.mjs run native-bridge/snippets-check/ \
        --maxConcurrency=8 --reporter=verbose --reporter=json --outputFile.json="$out/$part.json" "$@"
      ;;
    kernels)
      node node_modules/vitest/vitest.mjs run src/host/kernels/ --reporter=verbose --reporter=json \
        --outputFile.json="$out/$part.json" "$@"
      ;;
    bench) node bench/main.mjs --out "$out/bench.json" "$@" ;;
    screenshots) node scripts/screenshots.mjs "$out/screens" "$@" ;;
    *)
      echo "run.sh: there is no part $part" >&2
      exit 2
      ;;
  esac
} 2>&1 | tee "$out/$part.log"
status=${PIPESTATUS[0]}
if [ -d test-results/screens ]; then mkdir -p "$out/screens" && cp -r test-results/screens/. "$out/screens/"; fi
exit "$status"

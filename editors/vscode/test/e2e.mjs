// Drives the packaged extension in a real VS Code (code-server) with a headless browser, offline: recorded answers of the demo.
// Usage: node e2e.mjs VSIX PYTHON CHROMIUM NODE CODE_SERVER. With the variable SCREENS, pictures are written into that folder.
// With the variable WHEEL, the extension creates the environment from this wheel, which downloads packages.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [vsix, python, browserProgram, node, codeServer] = process.argv.slice(2);
const demo = resolve(import.meta.dirname, "../../../pytest_citecheck/cli/demo_data");
const screens = process.env.SCREENS;
const wheel = process.env.WHEEL;
const patience = 60_000;
const folder = mkdtempSync(join(tmpdir(), "citecheck-vscode-"));
const paths = { data: join(folder, "data"), extensions: join(folder, "extensions"), work: join(folder, "thesis") };

const settings = {
  "citecheck.pythonPath": wheel ? "" : python,
  "citecheck.cassettes": demo,
  "citecheck.cache": "off",
  "citecheck.offline": true,
  "chat.disableAIFeatures": true,
  "editor.hover.enabled": "off", // a hover must not lie over the picture
  "editor.minimap.enabled": false,
  "extensions.autoUpdate": false,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.colorTheme": process.env.THEME ?? "Default Light Modern",
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
};

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const options = ["--user-data-dir", paths.data, "--extensions-dir", paths.extensions, "--config", join(folder, "config.yaml")];
const environment = { ...process.env, EXTENSIONS_GALLERY: "{}" }; // no request to a marketplace
let server;
let browser;
let page;

async function start() {
  // A server reads settings of the scope "machine", as the path of Python is, from a file of its own.
  for (const scope of ["User", "Machine"]) {
    mkdirSync(join(paths.data, scope), { recursive: true });
    writeFileSync(join(paths.data, scope, "settings.json"), JSON.stringify(settings));
  }
  mkdirSync(paths.work);
  cpSync(join(demo, "demo.bib"), join(paths.work, "references.bib"));
  const other = readFileSync(join(demo, "demo.bib"), "utf8").split("\n\n")[0];
  writeFileSync(join(paths.work, "other.bib"), other);
  const installed = spawnSync(node, [codeServer, ...options, "--install-extension", resolve(vsix)], { env: environment });
  assert.match(String(installed.stdout), /successfully installed/);
  const port = await freePort();
  const line = ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check"];
  server = spawn(node, [codeServer, ...options, ...line, "--disable-workspace-trust"], { env: environment, detached: true });
  await new Promise((done, failed) => {
    server.on("exit", (code) => failed(new Error(`code-server ended with ${code}`)));
    server.stdout.on("data", (text) => String(text).includes("HTTP server listening") && done());
    server.stderr.resume();
  });
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
  flags.push("--disable-background-networking", "--disable-component-update", "--disable-sync");
  browser = await chromium.launch({ executablePath: browserProgram, args: flags });
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(patience);
  await page.route(/.*/, (route) => {
    const { hostname } = new URL(route.request().url());
    return hostname === "127.0.0.1" || hostname.endsWith(".localhost") ? route.continue() : route.abort();
  });
  await page.goto(`http://127.0.0.1:${port}/?folder=${paths.work}`);
  await page.locator(".monaco-workbench").waitFor();
}

async function command(title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

const rows = (text) => page.locator(".markers-panel .monaco-list-row", { hasText: text });
const status = (text) => page.locator(".statusbar-item", { hasText: text });
const shot = (name) => screens && page.screenshot({ path: join(screens, `${name}.png`) });

async function goTo(line) {
  await command("Go to Line/Column");
  await page.locator(".quick-input-widget input").fill(`:${line}:6`);
  await page.keyboard.press("Enter");
}

async function opens() {
  await page.locator(".explorer-viewlet .monaco-list-row", { hasText: "references.bib" }).dblclick();
}

async function creates() {
  await page.locator(".notifications-toasts .monaco-button", { hasText: "Create an environment" }).click();
  await page.locator(".monaco-dialog-box .monaco-button", { hasText: "Choose the wheel" }).click();
  await page.locator(".quick-input-widget input").fill(resolve(wheel));
  await page.locator(".quick-input-action .monaco-button", { hasText: "Install" }).click();
  await status("2 fabricated, 1 misdescribed, 1 undecided").waitFor({ timeout: 300_000 });
}

async function finds() {
  await status("2 fabricated, 1 misdescribed, 1 undecided").waitFor();
  await command("Citecheck: Check this file");
  const wrong = rows("vaswani2017: 3 of 3 cited authors did not write this work");
  await wrong.waitFor();
  assert.match(await wrong.innerText(), /citecheck\s+authors-other\s+\[Ln 19, Col 3\]/);
  await rows("keller1997: Neural Computation has a different work there").waitFor();
  await goTo(19);
  await page.locator(".squiggly-error").first().waitFor();
  await shot("vscode-problems");
}

async function explains() {
  await command("Citecheck: Explain finding");
  await page.locator(".notifications-toasts", { hasText: "authors-other" }).waitFor();
  await command("Notifications: Clear All Notifications");
}

async function corrects() {
  await goTo(19);
  await page.keyboard.press("Control+.");
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Correct: author = {Vaswani, Ashish" });
  await action.waitFor();
  await shot("vscode-action");
  await action.click();
  await rows("vaswani2017: 3 of 3").waitFor({ state: "detached" });
  await status("2 fabricated, 1 undecided, 1 verified").waitFor();
  await page.keyboard.press("Control+s");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  assert.match(readFileSync(join(paths.work, "references.bib"), "utf8"), /author {4}= \{Ashish Vaswani and Noam Shazeer/);
}

async function correctsByCommand() {
  await page.keyboard.press("Control+z");
  await rows("vaswani2017: 3 of 3").waitFor();
  await goTo(19);
  await command("Citecheck: Correct");
  await rows("vaswani2017: 3 of 3").waitFor({ state: "detached" });
}

async function checksTheWorkspace() {
  await command("Citecheck: Check workspace");
  await page.locator(".terminal-outer-container, .terminal-wrapper").first().waitFor();
  await command("Problems: Focus on Problems View");
  await rows("other.bib").waitFor();
  await rows("thorvaldsen2019: no work with this title").nth(1).waitFor();
}

let failed = false;
try {
  await start();
  for (const step of [opens, ...(wheel ? [creates] : []), finds, explains, corrects, correctsByCommand, checksTheWorkspace]) {
    const begun = Date.now();
    await step();
    console.log(`${step.name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  failed = true;
  console.error(error);
  const labels = await page?.locator(".statusbar-item a").evaluateAll((items) => items.map((item) => item.ariaLabel)).catch(() => []);
  console.error(`The status bar says: ${labels?.filter((label) => label?.includes("Citecheck")).join("; ")}`);
  await page?.screenshot({ path: join(tmpdir(), "citecheck-vscode-failed.png") }).catch(() => undefined);
} finally {
  await browser?.close();
  if (server) {
    process.kill(-server.pid); // with the language server
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
console.log(failed ? "0 passed, 1 failed" : "1 passed, 0 failed");
process.exit(failed ? 1 : 0);

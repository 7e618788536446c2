// VS Code as code-server shows it in a headless Chromium, for a scenario to drive.
//
// usage: node driver.mjs SCENARIO.mjs, everything else from the environment:
//   PLAYWRIGHT, CODE_SERVER   folders of the two packages;  CHROMIUM  the browser's program
//   BOX      a folder of this run's own: home, data, extensions, screenshots
//   PROJECT  the folder that is opened;  EXTENSIONS  .vsix files to install, one a line
//   SETTINGS JSON of more user settings
//   DEVELOPED, TESTS  a folder with an unpacked extension, and a file in it that exports `run()`: with these there is
//            no scenario, but tests that run in the editor's own extension host
// The scenario exports `default async (vscode) => …`; a throw ends with exit code 1 and FAIL.png.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const env = process.env;
const { chromium } = createRequire(`${env.PLAYWRIGHT}/`)('playwright-core');
const PATIENCE = 60_000;
// This machine's network may be closed: the browser asks for nothing of its own.
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const SETTINGS = {
  'telemetry.telemetryLevel': 'off', 'workbench.startupEditor': 'none', 'workbench.tips.enabled': false,
  'workbench.enableExperiments': false, 'extensions.autoCheckUpdates': false, 'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true, 'update.mode': 'none', 'git.enabled': false,
  'editor.minimap.enabled': false, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true, ...JSON.parse(env.SETTINGS || '{}'),
};

class VSCode {
  constructor(page) { this.page = page; }

  /** What is open, as a picture in BOX/shots. */
  shot(name) { return this.page.screenshot({ path: path.join(env.BOX, 'shots', `${name}.png`) }); }

  rows(text) {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  }

  async input(text) {
    const box = this.page.locator('.quick-input-widget input[type=text]').first();
    await box.waitFor({ state: 'visible' });
    await box.fill(text);
  }

  /** Run a command by its title. */
  async command(title) {
    await this.page.keyboard.press('F1');
    await this.input(`>${title}`);
    await this.rows(title).first().click();
  }

  async open(file) {
    const first = this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: file });
    // A list that was still being filled, or a focus that was still elsewhere, eats the keys.
    await this.until(`${file} in the list`, async () => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('Control+p');
      await this.input(file);
      return first.waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: path.basename(file) }).waitFor();
  }

  async goto(line, column = 1) {
    await this.page.keyboard.press('Control+g');
    await this.input(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Wait until `check` gives something that is true, and give that back. */
  async until(what, check, patience = PATIENCE) {
    const end = Date.now() + patience;
    while (Date.now() < end) {
      const found = await check();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`never seen: ${what}`);
  }
}

function write(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(value));
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function codeServer(...args) {
  const home = path.join(env.BOX, 'home');
  const options = ['--user-data-dir', path.join(env.BOX, 'data'), '--extensions-dir', path.join(env.BOX, 'extensions')];
  const log = fs.openSync(path.join(env.BOX, 'code-server.log'), 'a');
  return spawn(process.execPath, [env.CODE_SERVER, ...options, ...args], {
    env: { ...env, HOME: env.HOME || home, EXTENSIONS_GALLERY: '{}', VSCODE_IPC_HOOK_CLI: '' },
    cwd: env.BOX, stdio: ['ignore', log, log], detached: true,
  });
}

async function install(extensions) {
  if (!extensions.length) return;
  const child = codeServer(...extensions.flatMap((one) => ['--install-extension', one]));
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`the extensions were not installed: ${code}; see code-server.log`);
}

async function answers(port) {
  for (let turn = 0; turn < 240; turn++) {
    try { if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return; } catch { /* not yet */ }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('code-server does not answer');
}

/** Let the editor run the tests in its extension host, as its own web tests do; a failure is thrown. */
async function inExtensionHost(page, url, port) {
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
  const payload = [['extensionDevelopmentPath', remote(env.DEVELOPED)], ['extensionTestsPath', remote(env.TESTS)]];
  await page.exposeFunction('codeAutomationLog', (_, words) => {
    if (/^(ok|FAIL) /.test(String(words[0]))) console.log(...words);
  });
  const exited = new Promise((resolve) => void page.exposeFunction('codeAutomationExit', resolve));
  await page.goto(`${url}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
  const late = new Promise((resolve) => setTimeout(resolve, 3 * PATIENCE, 'no end').unref());
  const code = await Promise.race([exited, late]);
  if (code !== 0) throw new Error(`the tests ended with: ${code}`);
}

/** Open the window with its folder; now and then the first one comes up without any. */
async function open(page, url) {
  for (let turn = 0; turn < 3; turn++) {
    await page.goto(url);
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    const file = page.locator('.explorer-folders-view .monaco-list-row').first();
    if (await file.waitFor({ timeout: PATIENCE / 4 }).then(() => true, () => false)) return;
  }
  throw new Error('the window has no folder');
}

async function main(scenario) {
  fs.mkdirSync(path.join(env.BOX, 'shots'), { recursive: true });
  write(path.join(env.BOX, 'data/User/settings.json'), SETTINGS);
  // A remote window takes settings of the machine from here only.
  write(path.join(env.BOX, 'data/Machine/settings.json'), JSON.parse(env.MACHINE_SETTINGS || '{}'));
  await install((env.EXTENSIONS || '').split('\n').filter(Boolean));
  const port = await freePort();
  const trust = env.TRUST === 'ask' ? [] : ['--disable-workspace-trust'];
  const server = codeServer('--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry',
    '--disable-update-check', '--disable-getting-started-override', ...trust,
    // Without it a built product takes no notice of a page's payload.
    ...env.TESTS ? ['--vscode-option', 'enable-smoke-test-driver'] : []);
  let browser, page;
  try {
    await answers(port);
    browser = await chromium.launchPersistentContext(path.join(env.BOX, 'chromium'), {
      executablePath: env.CHROMIUM, headless: true, args: QUIET, viewport: { width: 1280, height: 800 },
    });
    page = browser.pages()[0] ?? await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    const opened = env.PROJECT.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const url = `http://127.0.0.1:${port}/?${opened}=${encodeURI(env.PROJECT)}`;
    if (env.TESTS) {
      await inExtensionHost(page, url, port);
    } else {
      await open(page, url);
      const { default: run } = await import(pathToFileURL(scenario));
      await run(new VSCode(page));
    }
  } catch (error) {
    console.error(error.stack);
    await page?.screenshot({ path: path.join(env.BOX, 'shots/FAIL.png') }).catch(() => {});
    process.exitCode = 1;
  } finally {
    await browser?.close();
    // Its own group: its extension hosts end with it.
    try { process.kill(-server.pid, 'SIGTERM'); } catch { /* ended already */ }
  }
}

await main(path.resolve(process.argv[2] ?? '.'));

/**
 * Finds a Chromium for the browser tests: the developer's own, or else the one from npm. Depends on node: built-ins,
 * `playwright-core` and `@sparticuz/chromium`.
 */
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { chromium as playwright } from 'playwright-core';
import { ROOT } from './toolchain.mjs';

/**
 * @typedef {object} Chromium the options of playwright-core's `chromium.launch()`
 * @property {string} executablePath
 * @property {string[]} args
 * @property {Record<string, string>} env
 */

/** @returns {Promise<Chromium | null>} null: there is none for this platform */
export async function findChromium() {
  // Chromium's sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const env = /** @type {Record<string, string>} */ ({ ...process.env });
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen && !fs.existsSync(chosen)) throw new Error(`CHROMIUM_PATH names a file that does not exist: ${chosen}`);
  const executablePath = chosen || existing(playwright.executablePath()) || onPath();
  if (executablePath) return { executablePath, args, env };
  return process.platform === 'linux' && process.arch === 'x64' ? await packaged(args, env) : null;
}

/** @returns {string | null} */
function existing(/** @type {string} */ path) {
  return path && fs.existsSync(path) ? path : null;
}

/** @returns {string | null} */
function onPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const directories = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const directory of directories) {
      const found = existing(join(directory, name));
      if (found) return found;
    }
  }
  return null;
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @returns {Promise<Chromium>}
 */
async function packaged(args, env) {
  const { version } = JSON.parse(fs.readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'));
  const home = join(ROOT, '.tmp', `chromium-${version}`);
  if (!fs.existsSync(home)) await unpack(home);
  const executablePath = join(home, 'chromium');
  // A minimal machine lacks NSS and fonts; the package contains both.
  const bare = spawnSync('ldd', [executablePath], { encoding: 'utf8' }).stdout?.includes('not found');
  return {
    executablePath,
    args,
    env: {
      ...env,
      ...(bare ? { LD_LIBRARY_PATH: join(home, 'al2023', 'lib') } : {}),
      ...(fs.existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(home, 'fonts') }),
    },
  };
}

/**
 * The package unpacks into the shared temporary directory of the system, without a lock. So it gets a private
 * directory, which moves into place when it is complete.
 */
async function unpack(/** @type {string} */ home) {
  fs.mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const partial = fs.mkdtempSync(`${home}.`);
  const script = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`;
  const child = spawn(process.execPath, ['-e', script], {
    cwd: ROOT,
    // The second call makes the package unpack the system libraries too.
    env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) {
    fs.rmSync(partial, { recursive: true, force: true });
    throw new Error('@sparticuz/chromium could not be unpacked');
  }
  try {
    fs.renameSync(partial, home);
  } catch (error) {
    fs.rmSync(partial, { recursive: true, force: true });
    if (!fs.existsSync(home)) throw error;
  }
}

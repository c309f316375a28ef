/**
 * `npm run test:nodes`: all tests without a browser on the newer Node versions that are supported, one after the other.
 * The npm package `node` brings their programs to .tmp/nodes/. Arguments go to Jest: `npm run test:nodes -- proxy.e2e`.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { bold, fail, say, step } from './lib/lines.mjs';
import { ROOT, npm, runToEnd } from './lib/toolchain.mjs';

const MAJORS = [22, 24];
const patterns = process.argv.slice(2);

/** @type {number[]} */
const failed = [];
for (const major of MAJORS) {
  const node = await install(major);
  say(`\n${bold(`Node ${major}`)} ${node}`);
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  try {
    await runToEnd(node, [join(ROOT, 'scripts/test.mjs'), ...patterns, '--selectProjects', 'unit', 'e2e', 'drills'], {
      env: { ...process.env, PATH },
    });
  } catch {
    failed.push(major);
  }
}
if (failed.length > 0) fail(`The tests fail on Node ${failed.join(' and ')}`);
say(`\nThe tests pass on Node ${MAJORS.join(' and ')}`);

/** @param {number} major @returns {Promise<string>} the path of the program */
async function install(major) {
  const place = join(ROOT, '.tmp', 'nodes', String(major));
  const program = join(place, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  step(`Installing Node ${major}`);
  // Without a package.json of its own, npm would install into the checkout.
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  await npm(['install', '--prefix', place, '--no-audit', '--no-fund', '--loglevel=error', `node@${major}`]);
  if (!existsSync(program)) fail(`npm did not install Node ${major}: its install script must be allowed to run`);
  return program;
}

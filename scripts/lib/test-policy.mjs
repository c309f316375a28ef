/** `agent-gateway test CASES…`: tests the rules of a configuration file (docs/rules.md#test). */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { bold, red, say, yellow } from './lines.mjs';

const USAGE = `Usage: agent-gateway test --config FILE [--documents DIR] [--update] CASES…

  --config     the configuration of a workspace, as exported: YAML, or JSON if its name ends with .json
  --documents  a directory with the texts of the documents that the configuration names by their digests
  --update     write what was decided into the case files
  CASES        YAML files, each with a list of cases

It needs no gateway and no network. Exit code: 0 everything is as expected, 1 something differs, 2 something can't be
read or the command is wrong.`;

/** @typedef {import('../../apps/api/src/policy-tests/main.ts').TestOrder} Order */

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function testPolicy(args) {
  const order = parseOrder(args);
  if (order === 'help') {
    say(USAGE);
    return 0;
  }
  if (typeof order === 'string') {
    process.stderr.write(`${red('✗')} ${order}\n\n${USAGE}\n`);
    return 2;
  }
  /** @type {typeof import('../../apps/api/src/policy-tests/main.ts')} */
  const built = await import(new URL('../../dist/apps/policy-tests/main.js', import.meta.url).href);
  return built.testPolicy(order, {
    say: (line) => say(line.replace(/^\S+:\d+ {2}/, (place) => bold(place))),
    warn: (line) => process.stderr.write(`${yellow('!')} ${line}\n`),
    fail: (line) => process.stderr.write(`${red('✗')} ${line}\n`),
  });
}

/** @param {string[]} args @returns {Order | string} what is wrong with the call, or `help` */
function parseOrder(args) {
  let parsed;
  try {
    const options = /** @type {const} */ ({
      config: { type: 'string' },
      documents: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    });
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
  const { config, documents = null, update, help } = parsed.values;
  if (help) return 'help';
  if (config === undefined) return '--config must name the configuration file';
  if (parsed.positionals.length === 0) return 'Name at least one file with cases';
  return { config, documents, update, cases: parsed.positionals };
}

/** `agent-gateway apply FILE`: makes a workspace match a file (docs/reference/configuration-file.md). */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readText } from './files.mjs';
import { green, red, say, yellow } from './lines.mjs';

const USAGE = `Usage: agent-gateway apply FILE --workspace ID [--dry-run [--exit-code]] [--url URL]

  FILE         YAML, or JSON if its name ends with .json
  --workspace  the id of the workspace
  --dry-run    say what would change, and change nothing
  --exit-code  with --dry-run: exit with 3 if something would change
  --url        the gateway; default http://127.0.0.1:3000

AGENT_GATEWAY_TOKEN must have a personal access token (agw_…) of an administrator of the workspace.`;

const DEFAULT_URL = 'http://127.0.0.1:3000';
/** The gateway answers within seconds; this is for a connection that died. */
const TIMEOUT_MS = 120_000;

/**
 * @typedef {{ credentials?: string[], connection?: true, agents?: string[], rules?: number, documents?: number, keys?: true,
 *   waiting?: number }} Loss
 * @typedef {{ kind: string, name: string, loses?: Loss, likelyRenamedTo?: string }} Change
 */
/** @typedef {{ created: Change[], changed: Change[], deleted: Change[] }} ImportResult */
/** @typedef {{ file: string, workspace: string, dryRun: boolean, exitCode: boolean, url: string, token: string }} Order */

/** @param {string[]} args @returns {Promise<number>} the exit code: 0 done, 1 failed, 2 called wrongly, 3 would change something */
export async function apply(args) {
  const order = parseOrder(args);
  if (typeof order === 'string') {
    process.stderr.write(`${red('✗')} ${order}\n\n${USAGE}\n`);
    return 2;
  }
  try {
    const changes = report(await send(order), order.dryRun);
    return order.exitCode && changes > 0 ? 3 : 0;
  } catch (error) {
    process.stderr.write(`${red('✗')} ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** @param {string[]} args @returns {Order | string} what is wrong with the call */
function parseOrder(args) {
  let parsed;
  try {
    const options = /** @type {const} */ ({
      workspace: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'exit-code': { type: 'boolean', default: false },
      url: { type: 'string', default: DEFAULT_URL },
    });
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
  const { workspace = '', url, 'dry-run': dryRun, 'exit-code': exitCode } = parsed.values;
  // A file or a clipboard may end it with a line.
  const token = (process.env.AGENT_GATEWAY_TOKEN ?? '').trim();
  if (parsed.positionals.length !== 1) return 'Name one file';
  if (exitCode && !dryRun) return '--exit-code needs --dry-run';
  if (!/^[1-9]\d{0,9}$/.test(workspace)) return '--workspace must be the id of a workspace';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return '--url must be a URL with http or https';
  if (!/^agw_[0-9a-f]{64}$/.test(token)) return 'AGENT_GATEWAY_TOKEN must have a personal access token (agw_…)';
  return { file: parsed.positionals[0], workspace, dryRun, exitCode, url: url.replace(/\/+$/, ''), token };
}

/** @param {Order} order @returns {Promise<ImportResult>} */
async function send({ file, workspace, dryRun, url, token }) {
  const body = readText(file);
  const response = await fetch(`${url}/workspaces/${workspace}/import${dryRun ? '?dryRun=true' : ''}`, {
    method: 'PUT',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': /\.json$/i.test(file) ? 'application/json' : 'application/yaml',
    },
    body,
    // The token must not reach another host.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((/** @type {Error} */ error) => {
    const { cause } = error;
    throw new Error(`${url} could not be reached: ${cause instanceof Error ? cause.message : error.message}`);
  });
  const text = await response.text();
  /** @type {any} */
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`${url} answered ${response.status} without JSON: is it an Agent Gateway?`);
  }
  if (response.ok && Array.isArray(answer?.created)) return answer;
  throw new Error([`${response.status} ${answer?.error ?? text}`, answer?.next].filter(Boolean).join('\n  '));
}

/** @param {ImportResult} result @param {boolean} dryRun @returns {number} how many changes */
function report({ created, changed, deleted }, dryRun) {
  const line = (/** @type {string} */ mark, /** @type {Change[]} */ changes) => {
    for (const change of changes) {
      say(`${mark} ${change.kind} ${change.name}`);
      for (const text of consequences(change)) say(`    ${text}`);
    }
  };
  line(green('+'), created);
  line(yellow('~'), changed);
  line(red('-'), deleted);
  const count = created.length + changed.length + deleted.length;
  const counts = `${created.length} created, ${changed.length} changed, ${deleted.length} deleted`;
  if (count === 0) say('Nothing to change');
  else say(dryRun ? `Dry run, nothing was changed: ${counts}` : counts);
  return count;
}

/** @param {Change} change @returns {string[]} what goes with it, in words */
function consequences({ kind, loses = {}, likelyRenamedTo }) {
  const { credentials = [], connection, agents = [], rules = 0, documents = 0, keys, waiting = 0 } = loses;
  const gone = [
    credentials.length > 0 && `${counted(credentials.length, 'credential')} (${credentials.join(', ')})`,
    connection && 'the OAuth connection',
    agents.length > 0 && `the access of ${counted(agents.length, 'agent')} (${agents.join(', ')})`,
    rules > 0 && counted(rules, 'rule'),
    documents > 0 && counted(documents, 'document'),
    keys && 'its keys',
    waiting > 0 && `${counted(waiting, 'waiting or approved action')}, which can no longer be executed`,
  ].filter(Boolean);
  return [
    ...(gone.length > 0 ? [`goes with it: ${gone.join(', ')}`] : []),
    ...(likelyRenamedTo === undefined
      ? []
      : [`if this ${kind} is now called ${likelyRenamedTo}: rename it in the dashboard first, and nothing is lost`]),
  ];
}

/** @param {number} count @param {string} what */
const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

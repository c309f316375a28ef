/**
 * The setting of the demo's story: an account, the sample API as a service with documentation and rules, two agents,
 * and a channel that tells the terminal. The first run creates them, later runs find them again.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreate } from '../lib/files.mjs';
import { Administrator, Agent } from './gateway-client.mjs';

const EMAIL = 'demo@example.com';
const SHOP = 'Sample shop';
const GITHUB = 'Sample GitHub';
const TERMINAL = 'Terminal of the demo';
const DOCUMENTATION = join(import.meta.dirname, 'sample-api.yaml');

/**
 * @typedef {object} Setting
 * @property {Administrator} human
 * @property {{email: string, password: string}} account
 * @property {Agent} supportBot
 * @property {Agent} reportBot
 */

/**
 * @param {{url: string, setupToken?: string, dataDir: string, api: import('./sample-api.mjs').SampleApi, receiver?:
 * import('./receiver.mjs').Receiver}} options
 * @returns {Promise<Setting>}
 */
export async function prepareSetting({ url, setupToken, dataDir, api, receiver }) {
  // Stored before the account is created: an account whose password is lost could not be created a second time.
  const password = readOrCreate(join(dataDir, 'demo-password'), () => randomBytes(12).toString('base64url')).trim();
  const human = new Administrator(url);
  await human.logIn({ email: EMAIL, password, name: 'Demo', setupToken });

  const { baseUrl, githubUrl, token } = api;
  const shopId = await prepareService(human, { name: SHOP, baseUrl, token });
  await prepareDocumentation(human, shopId);
  const githubId = await prepareService(human, { name: GITHUB, baseUrl: githubUrl, token });
  const supportBot = new Agent(url, 'support-bot', await prepareAgent(human, 'support-bot', [shopId, githubId]));
  const reportBot = new Agent(url, 'report-bot', await prepareAgent(human, 'report-bot', [shopId]));
  await prepareRules(human, shopId, [...COMMON_RULES, await reportBotOnlyReads(human)]);
  await prepareRules(human, githubId, COMMON_RULES);
  if (receiver) await prepareChannel(human, receiver);
  return { human, account: { email: EMAIL, password }, supportBot, reportBot };
}

/** @param {Administrator} human @param {{name: string, baseUrl: string, token: string}} service @returns {Promise<number>} its id */
async function prepareService(human, { name, baseUrl, token }) {
  const known = (await human.send('GET /services')).find(named(name));
  if (known) {
    // The sample API has a new port and a new token at each start.
    await human.send(`PUT /services/${known.id}`, { baseUrl });
    await human.send(`POST /services/${known.id}/credentials`, { credentials: { token } });
    return known.id;
  }
  return (await human.send('POST /services', { name, baseUrl, authType: 'bearer', credentials: { token } })).id;
}

/** @param {Administrator} human @param {number} serviceId */
async function prepareDocumentation(human, serviceId) {
  if ((await human.send(`GET /services/${serviceId}/documentation`)).length > 0) return;
  const content = readFileSync(DOCUMENTATION, 'utf8');
  await human.send(`POST /services/${serviceId}/documentation`, { type: 'openapi', title: `${SHOP} API`, content });
}

/** @param {Administrator} human @param {string} name @param {number[]} serviceIds @returns {Promise<string>} its key */
async function prepareAgent(human, name, serviceIds) {
  const known = (await human.send('GET /agents')).find(named(name));
  if (!known) return (await human.send('POST /agents', { name, serviceIds })).apiKey;
  await human.send(`PUT /agents/${known.id}/services`, { serviceIds });
  // A key is shown only once, so an existing agent gets a new key.
  return (await human.send(`POST /agents/${known.id}/rotate-key`)).apiKey;
}

/**
 * The receiver has a new port at each start, and a secret is shown only once. So each start makes a new channel.
 * @param {Administrator} human
 * @param {import('./receiver.mjs').Receiver} receiver
 */
async function prepareChannel(human, receiver) {
  const known = (await human.send('GET /channels')).find(named(TERMINAL));
  if (known) await human.send(`DELETE /channels/${known.id}`);
  const channel = { type: 'webhook', name: TERMINAL, target: receiver.url, events: ['approval.requested'] };
  receiver.secret = (await human.send('POST /channels', channel)).secret;
}

const COMMON_RULES = [
  { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] },
  { name: 'Allow all reads', effect: 'allow', methods: ['GET', 'HEAD', 'OPTIONS'] },
];

/** @param {Administrator} human */
async function reportBotOnlyReads(human) {
  const reportBot = (await human.send('GET /agents')).find(named('report-bot'));
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE'];
  return { name: 'report-bot only reads', effect: 'deny', methods, agentIds: [reportBot.id] };
}

/** @param {Administrator} human @param {number} serviceId @param {{name: string}[]} rules */
async function prepareRules(human, serviceId, rules) {
  const known = await human.send(`GET /services/${serviceId}/risk-rules`);
  for (const rule of rules) {
    if (!known.some(named(rule.name))) await human.send(`POST /services/${serviceId}/risk-rules`, rule);
  }
}

const named = (/** @type {string} */ name) => (/** @type {{name: string}} */ thing) => thing.name === name;

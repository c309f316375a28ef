/**
 * What the demo's story needs to be there: an account, the sample API as a service with documentation and rules, two
 * agents. Made at the first run, found again at later ones.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreate } from '../lib/files.mjs';
import { Administrator, Agent } from './gateway-client.mjs';

const EMAIL = 'demo@example.com';
const SERVICE = 'Sample shop';
const DOCUMENTATION = join(import.meta.dirname, 'sample-api.yaml');

/**
 * @typedef {object} Setting
 * @property {Administrator} human
 * @property {{email: string, password: string}} account
 * @property {Agent} supportBot
 * @property {Agent} reportBot
 */

/**
 * @param {{url: string, setupToken?: string, dataDir: string, api: import('./sample-api.mjs').SampleApi}} options
 * @returns {Promise<Setting>}
 */
export async function prepareSetting({ url, setupToken, dataDir, api }) {
  // Kept before the account is made: an account whose password nobody knows could not be made a second time.
  const password = readOrCreate(join(dataDir, 'demo-password'), () => randomBytes(12).toString('base64url')).trim();
  const human = new Administrator(url);
  await human.logIn({ email: EMAIL, password, name: 'Demo', setupToken });

  const serviceId = await prepareService(human, api);
  const supportBot = new Agent(url, 'support-bot', await prepareAgent(human, 'support-bot', serviceId));
  const reportBot = new Agent(url, 'report-bot', await prepareAgent(human, 'report-bot', serviceId));
  await prepareRules(human, serviceId);
  return { human, account: { email: EMAIL, password }, supportBot, reportBot };
}

/** @param {Administrator} human @param {import('./sample-api.mjs').SampleApi} api @returns {Promise<number>} its id */
async function prepareService(human, { baseUrl, token }) {
  const known = (await human.send('GET /services')).find(named(SERVICE));
  if (known) {
    // The sample API has another port and another token at each start.
    await human.send(`PUT /services/${known.id}`, { baseUrl });
    await human.send(`POST /services/${known.id}/credentials`, { credentials: { token } });
  }
  const { id } =
    known ??
    (await human.send('POST /services', { name: SERVICE, baseUrl, authType: 'bearer', credentials: { token } }));
  if ((await human.send(`GET /services/${id}/documentation`)).length === 0) {
    const content = readFileSync(DOCUMENTATION, 'utf8');
    await human.send(`POST /services/${id}/documentation`, { type: 'openapi', title: `${SERVICE} API`, content });
  }
  return id;
}

/** @param {Administrator} human @param {string} name @param {number} serviceId @returns {Promise<string>} its key */
async function prepareAgent(human, name, serviceId) {
  const known = (await human.send('GET /agents')).find(named(name));
  // A key is shown once: of an agent that is there already, only a new one can be had.
  if (known) return (await human.send(`POST /agents/${known.id}/rotate-key`)).apiKey;
  return (await human.send('POST /agents', { name, serviceIds: [serviceId] })).apiKey;
}

/** @param {Administrator} human @param {number} serviceId */
async function prepareRules(human, serviceId) {
  const known = await human.send(`GET /services/${serviceId}/risk-rules`);
  const reportBot = (await human.send('GET /agents')).find(named('report-bot'));
  const rules = [
    { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] },
    { name: 'Reads pass', effect: 'allow', methods: ['GET', 'HEAD', 'OPTIONS'] },
    {
      name: 'report-bot only reads',
      effect: 'deny',
      methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
      agentIds: [reportBot.id],
    },
  ];
  for (const rule of rules) {
    if (!known.some(named(rule.name))) await human.send(`POST /services/${serviceId}/risk-rules`, rule);
  }
}

const named = (/** @type {string} */ name) => (/** @type {{name: string}} */ thing) => thing.name === name;

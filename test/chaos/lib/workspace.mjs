/** A workspace of its own for each of many agents, whose requests are all held. */
import { randomUUID } from 'node:crypto';

/** @typedef {Awaited<ReturnType<typeof makeWorkspace>>} Workspace */

/**
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} name
 * @param {string} [token] of its owner
 */
export async function makeWorkspace(stage, name, token = stage.token) {
  /** @type {Record<string, string>} */
  const headers = { authorization: `Bearer ${token}` };
  /** @type {typeof stage.made} */
  const made = async (method, path, body) => {
    const answer = await stage.call(method, path, { body, headers });
    if (answer.status > 299 || answer.status === 0)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text);
  };
  const { id } = await made('POST', '/workspaces', { name });
  headers['x-workspace-id'] = String(id);
  const service = await made('POST', '/services', {
    name: 'held',
    baseUrl: `http://127.0.0.1:${stage.ledger.port}/held`,
    authType: 'bearer',
    credentials: { token: 'chaos-upstream-token' },
  });
  await made('POST', `/services/${service.id}/risk-rules`, { name: 'ask', effect: 'require_approval' });
  const { agent, apiKey } = await made('POST', '/agents', { name, serviceIds: [service.id] });
  return {
    id: Number(id),
    agentId: Number(agent.id),
    made,
    /** Sends a request that is held. @returns {Promise<{actionId: string, atMs: number}>} when the 428 was read */
    async hold() {
      const body = { targetUrl: stage.target('held', randomUUID()), method: 'POST', intent: 'under fire', body: '{}' };
      const answer = await stage.call('POST', '/proxy', {
        body,
        headers: { 'agent-key': apiKey, 'idempotency-key': randomUUID() },
      });
      if (answer.status !== 428) throw new Error(`not held: ${answer.status} ${answer.error ?? answer.text}`);
      return { actionId: JSON.parse(answer.text).action_id, atMs: performance.now() };
    },
  };
}

/**
 * A workspace with an owner who has no other workspace, because the number of mails to one address is limited. The
 * gateway needs `ALLOW_REGISTRATION`.
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} name a word
 */
export async function makeOwnedWorkspace(stage, name) {
  const account = { email: `${name}@example.com`, password: randomUUID() };
  await stage.made('POST', '/auth/register', account);
  const { accessToken } = await stage.made('POST', '/auth/login', account);
  return { ...(await makeWorkspace(stage, name, accessToken)), email: account.email };
}

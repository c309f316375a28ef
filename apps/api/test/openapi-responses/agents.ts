import { HTTP_METHODS } from '#contracts';
import { BAD_ID, NO_ID, type DescribedGateway } from './described-gateway.js';

export async function ofAgents({ check, gateway }: DescribedGateway): Promise<void> {
  const body = { name: 'bot', serviceIds: [gateway.service.id] };
  const { agent } = await check<{ agent: { id: number } }>('POST /agents', 201, { body });
  const path = [agent.id];
  await check('POST /agents', 400, { body: {} });
  await check('POST /agents', 404, { body: { ...body, serviceIds: [999] } });
  await check('GET /agents', 200);
  await check('GET /agents/{id}', 200, { path });
  await check('GET /agents/{id}', 404, NO_ID);
  await check('PUT /agents/{id}', 200, { path, body: { isActive: false } });
  await check('PUT /agents/{id}', 400, { ...BAD_ID, body: { isActive: false } });
  await check('PUT /agents/{id}/services', 200, { path, body: { serviceIds: [gateway.service.id] } });
  await check('PUT /agents/{id}/services', 400, { path, body: { serviceIds: [] } });
  await check('POST /agents/{id}/rotate-key', 200, { path });
  await check('DELETE /agents/{id}/previous-keys', 200, { path });
  await check('DELETE /agents/{id}/previous-keys', 404, NO_ID);
  const callback = { url: `${gateway.upstream.url}/callback` };
  await check('GET /agents/{id}/callback', 200, { path });
  await check('POST /agents/{id}/callback/test', 404, { path });
  await check('PUT /agents/{id}/callback', 200, { path, body: callback });
  await check('PUT /agents/{id}/callback', 400, { path, body: { url: 'nowhere' } });
  await check('PUT /agents/{id}/callback', 403, { path, body: { url: 'https://127.0.0.1/' } });
  await check('GET /agents/{id}/callback', 200, { path });
  await check('GET /agents/{id}/callback', 404, NO_ID);
  await check('POST /agents/{id}/callback/rotate-secret', 200, { path });
  await check('POST /agents/{id}/callback/test', 409, { path });
  await check('PUT /agents/{id}', 200, { path, body: { isActive: true } });
  const delivery = await check<{ id: string }>('POST /agents/{id}/callback/test', 200, { path });
  await check('GET /agents/{id}/callback/deliveries', 200, { path });
  await check('GET /agents/{id}/callback/deliveries', 400, { path, query: '?limit=0' });
  const redeliver = 'POST /agents/{id}/callback/deliveries/{deliveryId}/redeliver';
  await check(redeliver, 200, { path: [agent.id, delivery.id] });
  await check(redeliver, 404, { path: [agent.id, 'x'] });
  await check('DELETE /agents/{id}/callback', 200, { path });
  await check('DELETE /agents/{id}/callback', 404, { path });
  await check('GET /agent/callback', 200);
  await check('PUT /agent/callback', 403, { body: callback });
  const callbackHosts = [gateway.upstream.hostAndPort];
  await check('PUT /agents/{id}', 200, { path: [gateway.agent.id], body: { callbackHosts } });
  await check('PUT /agent/callback', 200, { body: callback });
  await check('POST /agent/callback/rotate-secret', 200);
  await check('POST /agent/callback/test', 200);
  await check('DELETE /agent/callback', 200);
  await check('POST /agent/callback/test', 404);
  await check('DELETE /agents/{id}', 200, { path });
}

export async function ofBaseUrls({ check, gateway }: DescribedGateway): Promise<void> {
  gateway.model.answer({ score: 0 });
  for (const method of HTTP_METHODS) {
    const route = `${method} /s/{service}/{path}`;
    const headers = { 'X-Intent': 'try', 'Idempotency-Key': `base-url-${method}` };
    await check(route, 200, { path: ['Shop', 'things'], headers });
    await check(route, 404, { path: ['Nowhere', 'things'], headers: { 'Idempotency-Key': `nowhere-${method}` } });
  }
  await check('POST /s/{service}/{path}', 400, { path: ['Shop', 'things'] });
  gateway.model.answer({ score: 1 });
  await check('DELETE /s/{service}/{path}', 428, { path: ['Shop', 'things'] });
}

export async function ofDiscovery({ check }: DescribedGateway): Promise<void> {
  await check('GET /agent', 200);
  await check('GET /agent', 401, { headers: { 'Agent-Key': 'x' } });
  for (const route of ['GET /SKILL.md', 'GET /llms.txt']) {
    await check(route, 200);
    await check(route, 401, { headers: { 'Agent-Key': 'x' } });
  }
}

export async function ofMcp({ check }: DescribedGateway): Promise<void> {
  const message = (method: string, params?: object) => ({ body: { jsonrpc: '2.0', id: 1, method, params } });
  await check('POST /mcp', 200, message('tools/list'));
  await check('POST /mcp', 200, message('no/such/method'));
  await check('POST /mcp', 202, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  await check('POST /mcp', 400, { body: {} });
  await check('POST /mcp', 403, { ...message('ping'), headers: { Origin: 'https://evil.example' } });
  await check('POST /mcp', 406, { ...message('ping'), headers: { Accept: 'image/png' } });
  await check('GET /mcp', 405);
  await check('DELETE /mcp', 405);
}

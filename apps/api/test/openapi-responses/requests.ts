import { type DescribedGateway } from './described-gateway.js';

export async function ofRequests({ check, gateway }: DescribedGateway): Promise<void> {
  const { url } = gateway.upstream;
  const request = (method: string, path: string, extra = {}) => ({
    body: { targetUrl: url + path, method, intent: 'try', ...extra },
  });
  gateway.model.answer({ score: 0 });
  await check('POST /proxy', 200, request('GET', '/v1/a'));
  await check('POST /proxy', 200, request('POST', '/v1/a', { idempotencyKey: 'k', body: '1' }));
  await check('POST /proxy', 422, request('POST', '/v1/a', { idempotencyKey: 'k', body: '2' }));
  await check('POST /proxy', 400, request('POST', '/v1/a'));
  await check('POST /proxy', 403, request('GET', '/v1/../a'));
  await check('POST /proxy', 404, request('GET', '/nowhere'));
  gateway.upstream.answer((_call, response) => void response.socket?.destroy());
  await check('POST /proxy', 502, request('GET', '/v1/a'));
  gateway.upstream.answer((_call, response) => response.end('{}'));

  gateway.model.answer({ score: 1 });
  const hold = async (n: number): Promise<string[]> => [
    (await check<{ action_id: string }>('POST /proxy', 428, request('DELETE', `/v1/things/${n}`))).action_id,
  ];
  const [approved, denied, withdrawn] = [await hold(1), await hold(2), await hold(3)];
  await check('GET /status/{actionId}', 200, { path: approved });
  await check('POST /proxy/execute/{actionId}', 409, { path: approved });
  await check('PATCH /approvals/{actionId}/approve', 200, { path: approved, body: {} });
  await check('PATCH /approvals/{actionId}/approve', 409, { path: approved, body: { note: 'again' } });
  await check('PATCH /approvals/{actionId}/deny', 200, { path: denied, body: { note: 'no' } });
  await check('PATCH /approvals/{actionId}/withdraw', 409, { path: withdrawn, body: {} });
  await check('PATCH /approvals/{actionId}/approve', 200, { path: withdrawn, body: {} });
  await check('PATCH /approvals/{actionId}/undo', 200, { path: withdrawn });
  await check('PATCH /approvals/{actionId}/undo', 409, { path: withdrawn });
  await check('PATCH /approvals/{actionId}/approve', 200, { path: withdrawn, body: {} });
  await check('PATCH /approvals/{actionId}/withdraw', 200, { path: withdrawn, body: { note: 'not now' } });
  const [revised] = [await hold(4)];
  await check('POST /approvals/{actionId}/revise', 400, { path: revised, body: {} });
  await check('POST /approvals/{actionId}/revise', 201, { path: revised, body: { headers: { 'X-Tag': 'revised' } } });
  await check('POST /approvals/{actionId}/revise', 409, { path: revised, body: { headers: {} } });
  await check('POST /approvals/{actionId}/revise', 404, { path: ['x'], body: { headers: {} } });
  await check('PATCH /approvals/{actionId}/withdraw', 404, { path: ['x'], body: {} });
  await check('PATCH /approvals/{actionId}/undo', 404, { path: ['x'] });
  await check('PATCH /approvals/{actionId}/deny', 404, { path: ['x'], body: {} });
  await check('GET /status/{actionId}', 200, { path: approved });
  await check('GET /status/{actionId}', 200, { path: denied });
  await check('GET /status/{actionId}', 404, { path: ['x'] });
  await check('POST /proxy/execute/{actionId}', 200, { path: approved });
  await check('POST /proxy/execute/{actionId}', 404, { path: ['x'] });
  await check('GET /status/{actionId}', 200, { path: approved });
  await check('GET /approvals', 200, { query: '?status=ALL' });
  await check('GET /approvals', 400, { query: '?limit=0' });
  await check('GET /approvals/counts', 200);
  await check('GET /approvals/{actionId}', 200, { path: approved });
  await check('GET /approvals/{actionId}', 404, { path: ['x'] });
  await check('GET /approvals/{actionId}/context', 200, { path: denied });

  await gateway.app.settled();
  await check('GET /audit', 200, { query: '?limit=200' });
  await check('GET /audit', 400, { query: '?kind=x' });
  // The agent and the service of this action are deleted.
  const service = await gateway.createService({ name: 'Gone', baseUrl: `${url}/gone` });
  const { agent, apiKey } = await gateway.createAgent('gone-bot', [service.id]);
  const gone = await gateway.hold({ targetUrl: `${url}/gone/1` }, { 'Agent-Key': apiKey });
  await gateway.admin(`DELETE /agents/${agent.id}`);
  await gateway.admin(`DELETE /services/${service.id}`);
  await check('GET /approvals/{actionId}', 200, { path: [gone.action_id] });
  await check('GET /approvals/{actionId}/context', 200, { path: [gone.action_id] });
  await check('GET /audit/export', 200, { query: '?format=csv' });
  await check('GET /audit/export', 200, { query: '?format=ndjson' });
  await check('GET /audit/export', 400);
  const [record] = await gateway.audit();
  await check('GET /audit/{recordId}', 200, { path: [record.id] });
  await check('GET /audit/{recordId}', 404, { path: ['x'] });
  const [sent] = (await gateway.audit('&kind=request&outcome=held')).filter(({ service }) => service !== null);
  await check('GET /audit/{recordId}/case', 200, { path: [sent.id] });
  await check('GET /audit/{recordId}/case', 404, { path: ['x'] });
  await check('GET /audit/stats', 200);
  await check('GET /audit/people', 200);
  await check('GET /audit/usage/services', 200);
  await check('GET /audit/usage/agents', 200, { query: `?agentIds=${gateway.agent.id}` });
  await check('GET /audit/usage/agents', 400);
  await check('GET /events', 200);
  await check('GET /channels/webpush/key', 200);
  await check('GET /channels/webpush/key', 400, { headers: { 'X-Workspace-Id': 'x' } });
}

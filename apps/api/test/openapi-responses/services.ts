import { PASSWORD } from '../support/accounts.js';
import { BAD_ID, NO_ID, type DescribedGateway } from './described-gateway.js';

const DOCUMENT = { type: 'text', title: 'Notes', content: 'Careful.' };

export async function ofServices({ check, gateway }: DescribedGateway): Promise<void> {
  const body = { name: 'S', baseUrl: `${gateway.upstream.url}/s`, authType: 'bearer', credentials: { token: 't' } };
  const { id } = await check<{ id: number }>('POST /services', 201, { body });
  const path = [id];
  await check('POST /services', 400, { body: {} });
  await check('POST /services', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
  await check('POST /services', 413, { body: ' '.repeat(1024 * 1024 + 1) });
  await check('GET /services', 200);
  await check('GET /services/{id}', 200, { path });
  await check('GET /services/{id}', 400, BAD_ID);
  await check('GET /services/{id}', 404, NO_ID);
  await check('PUT /services/{id}', 200, { path, body: { name: 'T' } });
  await check('PUT /services/{id}', 400, { path, body: {} });
  await check('POST /services/{id}/credentials', 200, { path, body: { credentials: { token: 'u' } } });
  await check('POST /services/{id}/credentials', 404, { ...NO_ID, body: { credentials: { token: 'u' } } });
  await check('POST /services/{id}/credentials/confirm', 409, { path, body: { hosts: ['api.example.com'] } });
  const moved = { hosts: [new URL(gateway.upstream.url).origin] };
  await gateway.app.database.query(`UPDATE services SET credential_origins = '{}' WHERE id = $1`, [id]);
  await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
  await check('POST /services/{id}/credentials/confirm', 200, { path, body: moved });
  await check('POST /services/{id}/credentials/revert', 200, { path });
  await check('POST /services/{id}/credentials/revert', 409, { path });
  await check('POST /services/{id}/credentials/revert', 404, NO_ID);
  await check('PUT /services/{id}/credentials', 200, { path, body: { credentials: { token: 'v' }, graceHours: 1 } });
  await check('PUT /services/{id}/credentials', 400, {
    path,
    body: { credentials: { token: 'v' }, graceHours: 721 },
  });
  await check('PUT /services/{id}/credentials', 404, { ...NO_ID, body: { credentials: { token: 'v' } } });
  const trial = { credentials: { token: 'u' } };
  const untried = { name: 'Untried', baseUrl: gateway.upstream.url, authType: 'bearer', ...trial };
  await check('POST /services/test', 200, { body: { service: untried } });
  await check('POST /services/test', 400, { body: { service: { ...untried, baseUrl: 'ftp://x' } } });
  await check('POST /services/{id}/credentials/test', 200, { path, body: trial });
  await check('POST /services/{id}/credentials/test', 400, { path, body: {} });
  await check('POST /services/{id}/credentials/test', 404, { ...NO_ID, body: trial });
  await check('POST /services/{id}/test', 200, { path, body: {} });
  await check('POST /services/{id}/oauth/connect', 400, { path });
  const tokenUrl = `${gateway.upstream.url}/token`;
  const oauth = {
    grant: 'authorization_code',
    authorizationUrl: tokenUrl,
    tokenUrl,
    clientId: 'c',
    scopes: [],
    tokenAuth: 'basic',
  };
  const connectable = await check<{ id: number }>('POST /services', 201, {
    body: { ...body, authType: 'oauth2', oauth },
  });
  await check('POST /services/{id}/oauth/connect', 200, { path: [connectable.id] });
  await check('GET /oauth/callback', 400);

  const doc = await check<{ id: number }>('POST /services/{id}/documentation', 201, { path, body: DOCUMENT });
  await check('POST /services/{id}/documentation', 400, { path, body: { ...DOCUMENT, type: 'openapi' } });
  await check('GET /services/{id}/documentation', 200, { path });
  await check('GET /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
  await check('GET /services/{id}/documentation/{docId}', 404, { path: [id, 999] });
  await check('PUT /services/{id}/documentation/{docId}', 200, { path: [id, doc.id], body: { title: 'N' } });
  await check('DELETE /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
  const openapi = {
    openapi: '3.0.0',
    info: { title: 'S', version: '1' },
    paths: { '/things/{id}': { delete: { operationId: 'd', summary: 'Delete' }, get: {} } },
  };
  await check('POST /services/{id}/documentation', 201, {
    path,
    body: { type: 'openapi', title: 'API', content: JSON.stringify(openapi) },
  });
  await check('GET /services/{id}/operations', 200, { path });
  await check('GET /services/{id}/operations', 200, { path, query: '?include=fields' });

  const rule = { name: 'r', effect: 'require_approval', expiresAt: '2099-01-01T00:00:00Z', maxUses: 3 };
  const { id: ruleId } = await check<{ id: number }>('POST /services/{id}/risk-rules', 201, { path, body: rule });
  await check('POST /services/{id}/risk-rules', 400, { path, body: {} });
  await check('POST /services/{id}/risk-rules/preview', 200, { path, body: rule });
  const backtest = 'POST /services/{id}/risk-rules/backtest';
  await check(backtest, 200, { path, body: { rule } });
  await check(backtest, 400, { path, body: {} });
  await check(backtest, 404, { ...NO_ID, body: { askFor: ['delete'] } });
  await check('GET /services/{id}/risk-rules', 200, { path });
  await check('PUT /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId], body: { isActive: false } });
  await check('PUT /services/{id}/risk-rules/{ruleId}', 404, { path: [id, 999], body: { isActive: false } });
  const limit = { count: 1, per: 'day', then: 'deny' };
  await check('POST /services/{id}/risk-rules', 201, { path, body: { name: 'l', effect: 'limit', limit } });
  await check('GET /services/{id}/risk-rules/limits', 200, { path });
  await check('GET /services/{id}/risk-rules/limits', 404, { path: [999] });
  await check('GET /services/{id}/risk-rules/matches', 200, { path });
  await check('GET /services/{id}/risk-rules/matches', 404, { path: [999] });
  const versions = '/services/{id}/risk-rules/{ruleId}/versions';
  await check(`GET ${versions}`, 200, { path: [id, ruleId] });
  await check(`GET ${versions}`, 404, { path: [id, 999] });
  await check(`POST ${versions}/{version}/restore`, 200, { path: [id, ruleId, 1] });
  await check(`POST ${versions}/{version}/restore`, 404, { path: [id, ruleId, 99] });
  await check(`POST ${versions}/{version}/restore`, 409, { path: [id, ruleId, 1] });
  const assess = {
    serviceId: id,
    method: 'DELETE',
    targetUrl: `${gateway.upstream.url}/s/things/1`,
    intent: 'try',
  };
  await check('POST /risk/assess', 200, { body: assess });
  await check('POST /risk/assess', 400, { body: {} });
  await check('POST /risk/assess', 403, { body: { ...assess, targetUrl: `${gateway.upstream.url}/elsewhere` } });
  await check('DELETE /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId] });
  await check('DELETE /services/{id}', 200, { path });
}

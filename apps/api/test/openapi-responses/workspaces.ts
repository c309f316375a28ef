import { login } from '../support/accounts.js';
import { BAD_ID, NO_ID, type DescribedGateway } from './described-gateway.js';

export async function ofWorkspaces({ check, gateway }: DescribedGateway): Promise<void> {
  await check('GET /workspaces', 200);
  const { id } = await check<{ id: number }>('POST /workspaces', 201, { body: { name: 'Second' } });
  await check('POST /workspaces', 400, { body: {} });
  const path = [id];
  await check('GET /workspaces/{id}', 200, { path });
  await check('GET /workspaces/{id}', 400, BAD_ID);
  await check('GET /workspaces/{id}', 404, NO_ID);
  await check('PUT /workspaces/{id}', 200, {
    path,
    body: { name: 'Third', settings: { confirmFromRisk: 0.7, confirmEffects: ['money'] } },
  });
  await check('PUT /workspaces/{id}', 400, { path, body: {} });
  await gateway.app.database.query(`
    INSERT INTO users (email, name, password_hash, created_at, updated_at)
      VALUES ('auditor@example.com', 'Auditor', 'none', now(), now());
    INSERT INTO workspace_members SELECT ${id}, max(id), 'auditor', now() FROM users`);
  await check('GET /workspaces/{id}/export', 200, { path });
  await check('GET /workspaces/{id}/export', 400, BAD_ID);
  await check('PUT /workspaces/{id}/import', 200, { path, body: { version: 1 }, query: '?dryRun=true' });
  await check('PUT /workspaces/{id}/import', 400, { path, body: {} });
  await check('POST /workspaces/{id}/resume', 409, { path });
  await check('POST /workspaces/{id}/pause', 200, { path, body: { reason: 'Bo looks at it' } });
  await check('POST /workspaces/{id}/pause', 400, { path, body: {} });
  await check('GET /workspaces', 200);
  await check('POST /workspaces/{id}/resume', 200, { path });
  const members = await check<{ id: number; role: string }[]>('GET /workspaces/{id}/members', 200, { path });
  const [auditor, owner] = ['auditor', 'owner'].map((role) => members.find((member) => member.role === role)!.id);
  await check('PUT /workspaces/{id}/members/{userId}', 200, { path: [id, auditor], body: { role: 'approver' } });
  await check('PUT /workspaces/{id}/members/{userId}', 409, { path: [id, owner], body: { role: 'approver' } });
  await check('PUT /workspaces/{id}/members/{userId}', 400, { path: [id, owner], body: { role: 'boss' } });
  await check('DELETE /workspaces/{id}/members/{userId}', 200, { path: [id, auditor] });
  await check('DELETE /workspaces/{id}/members/{userId}', 404, { path: [id, auditor] });
  await check('DELETE /workspaces/{id}/members/{userId}', 409, { path: [id, owner] });
  const invited = { path, body: { email: 'new@example.com', role: 'auditor' } };
  const { url } = await check<{ url: string }>('POST /workspaces/{id}/invitations', 201, invited);
  const [open] = await check<{ id: number }[]>('GET /workspaces/{id}/invitations', 200, { path });
  await check('POST /workspaces/{id}/invitations', 409, { path, body: { email: 'ada@example.com', role: 'admin' } });
  await check('POST /invitations/open', 200, { body: { token: url.split('#')[1] } });
  await check('POST /invitations/open', 404, { body: { token: 'none' } });
  await check('POST /invitations/accept', 403, { body: { token: url.split('#')[1] } });
  await check('POST /invitations/accept', 404, { body: { token: 'none' } });
  await check('DELETE /workspaces/{id}/invitations/{invitationId}', 200, { path: [id, open.id] });
  await check('DELETE /workspaces/{id}/invitations/{invitationId}', 404, { path: [id, open.id] });
  const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
  const wanted = { name: 'CI', workspaceId: id, role: 'auditor', expiresAt };
  const token = await check<{ id: number }>('POST /auth/tokens', 201, { body: wanted });
  await check('POST /auth/tokens', 400, { body: { ...wanted, expiresAt: '2001-01-01' } });
  await check('POST /auth/tokens', 404, { body: { ...wanted, workspaceId: 2_000_000_000 } });
  await check('GET /auth/tokens', 200);
  await check('DELETE /auth/tokens/{id}', 200, { path: [token.id] });
  await check('DELETE /auth/tokens/{id}', 404, { path: [token.id] });
  await check('GET /admin/administrators', 200);
  await check('PUT /admin/administrators/{userId}', 200, { path: [auditor] });
  await check('PUT /admin/administrators/{userId}', 404, { path: [2_000_000_000] });
  await check('DELETE /admin/administrators/{userId}', 200, { path: [auditor] });
  await check('DELETE /admin/administrators/{userId}', 409, { path: [owner] });
  await check('GET /admin/workspaces', 200);
  await check('GET /admin/workspaces', 400, { query: '?cursor=x' });
  await check('PUT /admin/workspaces/{id}', 200, { path, body: { privateTargets: true } });
  await check('PUT /admin/workspaces/{id}', 400, { path, body: {} });
  const again = await check<{ url: string }>('POST /workspaces/{id}/invitations', 201, {
    path,
    body: { email: 'cleo@example.com', role: 'auditor' },
  });
  const invitation = again.url.split('#')[1];
  await gateway.app.database.query(`
    INSERT INTO users (email, name, password_hash, created_at, updated_at)
      SELECT 'cleo@example.com', 'Cleo', password_hash, now(), now() FROM users WHERE id = ${owner}`);
  const { accessToken } = await login(gateway.app, 'cleo@example.com');
  const headers = { Authorization: `Bearer ${accessToken}` };
  await check('POST /invitations/accept', 200, { body: { token: invitation }, headers });
  await check('POST /invitations/accept', 410, { body: { token: invitation }, headers });
  await check('POST /invitations/open', 410, { body: { token: invitation } });
  await check('DELETE /workspaces/{id}', 200, { path });
  await check('DELETE /workspaces/{id}', 404, { path });
}

import type { CreatedInvitation, Role, User, WorkspaceSummary } from '#contracts';
import { login, register } from '../../../api/test/support/accounts.js';
import type { Gateway } from '../../../api/test/support/gateway.js';

/** The workspace of Ada, who is its owner. */
export async function readWorkspace(gateway: Gateway): Promise<WorkspaceSummary> {
  const [workspace] = await gateway.admin<WorkspaceSummary[]>('GET /workspaces');
  return workspace;
}

/** @returns the link */
export async function invite(gateway: Gateway, email: string, role: Role): Promise<string> {
  const { id } = await readWorkspace(gateway);
  const { url } = await gateway.admin<CreatedInvitation>(`POST /workspaces/${id}/invitations`, { email, role });
  return `${gateway.url}${new URL(url, gateway.url).pathname}${new URL(url, gateway.url).hash}`;
}

/** A new account that is a member of Ada's workspace and of no other. */
export async function addMember(gateway: Gateway, name: string, role: Role): Promise<User> {
  const email = `${name.toLowerCase()}@example.com`;
  const link = await invite(gateway, email, role);
  return register(gateway.app, email, { name, invitation: new URL(link).hash.slice(1) });
}

/** A new account with a workspace of its own, that is a member of Ada's too. */
export async function addGuest(gateway: Gateway, name: string, role: Role): Promise<User> {
  const email = `${name.toLowerCase()}@example.com`;
  const user = await register(gateway.app, email, { name });
  const link = await invite(gateway, email, role);
  const { accessToken } = await login(gateway.app, email);
  const body = { token: new URL(link).hash.slice(1) };
  await gateway.tryAdmin('POST /invitations/accept', body, accessToken);
  return user;
}

import { call, login, register, type Answer } from './accounts.js';
import type { Gateway } from './gateway.js';

/** People in the workspace of a gateway's owner, who is called `ada`. */
export interface Team {
  workspaceId: number;
  join(name: string, role: string): Promise<number>;
  findId(name: string): number;
  /** Signs a person in whose account exists. */
  signIn(name: string, id: number): Promise<void>;
  /** A dashboard request of one of them. @param on another instance */
  as<T = { error: string }>(who: string, route: string, body?: object, on?: { url: string }): Promise<Answer<T>>;
}

export function team(gateway: Gateway): Team {
  const workspaceId = gateway.agent.userId;
  const ids = new Map([['ada', workspaceId]]);
  const tokens = new Map([['ada', gateway.token]]);
  const signIn = async (name: string, id: number): Promise<void> => {
    tokens.set(name, (await login(gateway.app, `${name}@example.com`)).accessToken);
    ids.set(name, id);
  };
  return {
    workspaceId,
    signIn,
    async join(name, role) {
      const { id } = await register(gateway.app, `${name}@example.com`, { name });
      await signIn(name, id);
      await gateway.app.database.query('INSERT INTO workspace_members VALUES ($1, $2, $3, now())', [
        workspaceId,
        id,
        role,
      ]);
      return id;
    },
    findId: (name) => ids.get(name)!,
    as: (who, route, body, on = gateway.app) =>
      call(on, route, { token: tokens.get(who), body, headers: { 'X-Workspace-Id': String(workspaceId) } }),
  };
}

import type { EntityManager } from 'typeorm';

/** An account whose password was reset. */
export interface ResetAccount {
  id: number;
  name: string;
  /** How many sessions ended. */
  sessions: number;
  /** Other ways in, which stay. */
  passkeys: number;
  identities: number;
  tokens: number;
}

const SET = `
  UPDATE users SET password_hash = $2, updated_at = now() WHERE lower(email) = lower($1) RETURNING id, name`;

/**
 * Sets a password without the old one, for the operator. Ends all sessions, and forgets failed log-ins.
 * @returns null if no account has the e-mail
 */
export async function resetPassword(
  tx: EntityManager,
  email: string,
  passwordHash: string,
): Promise<ResetAccount | null> {
  const [[account]]: [{ id: number; name: string }[], number] = await tx.query(SET, [email, passwordHash]);
  if (account === undefined) return null;
  // A log-in that is under way waits for the account's row, and then finds another hash.
  const [, sessions] = await tx.query<[unknown[], number]>(
    'UPDATE sessions SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()',
    [account.id],
  );
  await tx.query('DELETE FROM login_attempts WHERE email = lower($1)', [email]);
  const [left]: Pick<ResetAccount, 'passkeys' | 'identities' | 'tokens'>[] = await tx.query(
    `SELECT (SELECT count(*) FROM passkeys WHERE user_id = $1)::int AS passkeys,
       (SELECT count(*) FROM identities WHERE user_id = $1)::int AS identities,
       (SELECT count(*) FROM access_tokens WHERE user_id = $1 AND expires_at > now())::int AS tokens`,
    [account.id],
  );
  return { ...account, ...left, sessions };
}

/**
 * `agent-gateway reset-password <email>`: sets a new password and prints it, for an operator whose people can't log in.
 * It needs only DATABASE_URL. See docs/operators.md#reset-password.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { dataSourceOptions, inTransaction } from '#database';
import { recordAccess } from './audit/record-access.js';
import { PasswordHasher } from './auth/password.js';
import { resetPassword, type ResetAccount } from './auth/password-reset.js';
import { Clock } from './platform/clock.js';
import { ConfigError, loadDatabase } from './platform/load-config.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

const [email, ...rest] = process.argv.slice(2);
try {
  process.exitCode = 1;
  if (email === undefined || rest.length > 0) complain('Usage: agent-gateway reset-password <email>');
  else if (await reset(email)) process.exitCode = 0;
} catch (error) {
  complain(error instanceof ConfigError ? error.message : `Nothing has changed: ${String(error)}`);
}

async function reset(of: string): Promise<boolean> {
  const { connection } = loadDatabase();
  const password = randomBytes(18).toString('base64url');
  const hash = await new PasswordHasher().hash(password);
  const source = await new DataSource(dataSourceOptions(connection, 2)).initialize();
  try {
    const account = await inTransaction(source, async (tx) => {
      const found = await resetPassword(tx, of, hash);
      if (found !== null) await recordAccess(tx, found, 'password.reset', new Clock().now());
      return found;
    });
    if (account === null) complain(`No account has the e-mail ${of}. Nothing has changed.`);
    else tell(account, password);
    return account !== null;
  } finally {
    await source.destroy();
  }
}

function tell({ name, sessions, passkeys, identities, tokens }: ResetAccount, password: string): void {
  say(`The new password of ${name}, shown only now:`);
  say('');
  say(`  ${password}`);
  say('');
  say(`Sessions that ended: ${sessions}. After logging in, change the password under Settings, Security.`);
  if (passkeys + identities + tokens > 0) {
    say(`Passkeys: ${passkeys}, linked sign-ins: ${identities}, personal access tokens: ${tokens}.`);
    say('They still work; remove under Settings what is not yours.');
  }
}

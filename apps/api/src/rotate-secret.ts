/**
 * `npm run rotate-secret`: encrypts everything with ENCRYPTION_SECRET that is still encrypted with
 * ENCRYPTION_SECRET_PREVIOUS, while the instances run. It can be stopped anywhere and started again. See
 * docs/operators.md#encryption-secret.
 */
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '#database';
import { CredentialCipher } from './crypto/credential-cipher.js';
import { instancesWithOtherKeys, reencrypt, refuseUnbound } from './crypto/reencryption.js';
import { ENCRYPTED } from './encrypted.js';
import { ConfigError, loadEncryption } from './platform/load-config.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const { connection, crypto } = loadEncryption();
  const source = await new DataSource(dataSourceOptions(connection, 2)).initialize();
  try {
    process.exitCode = (await rotate(source, new CredentialCipher(crypto), crypto.previousEncryptionSecret !== null))
      ? 0
      : 1;
  } finally {
    await source.destroy();
  }
} catch (error) {
  process.stderr.write(
    error instanceof ConfigError ? `${error.message}\n` : `Stopped: ${String(error)}. Run this again.\n`,
  );
  process.exitCode = 1;
}

/** @returns whether everything is done, so that the previous secret can be removed */
async function rotate(source: DataSource, cipher: CredentialCipher, hasPrevious: boolean): Promise<boolean> {
  // Counts the instances first: this run does not find values that such an instance writes later.
  const others = await instancesWithOtherKeys(source, cipher);
  let isReadable = true;
  for (const columns of ENCRYPTED) {
    const { table } = columns;
    const done = await reencrypt(source, cipher, columns, (count) => say(`${table}: ${count} encrypted again`));
    await refuseUnbound(source, columns);
    say(`${table}: ${done.rewritten === 0 ? 'nothing left' : 'done'}`);
    if (done.unreadable.length === 0) continue;
    isReadable = false;
    say(`${table}: neither secret can decrypt the rows ${done.unreadable.join(', ')}. Enter these values again.`);
  }
  if (others > 0) {
    say(
      `${others === 1 ? '1 running instance still encrypts' : `${others} running instances still encrypt`} with another secret. ` +
        'Restart it with the settings of this command, then run this again.',
    );
  } else if (isReadable) {
    say(
      hasPrevious
        ? 'Everything is encrypted with ENCRYPTION_SECRET. You can remove ENCRYPTION_SECRET_PREVIOUS.'
        : 'Everything is encrypted with ENCRYPTION_SECRET.',
    );
  }
  return isReadable && others === 0;
}

import type { DataSource } from 'typeorm';
import { ENCRYPTED_SECRETS } from './callbacks/encrypted-secrets.js';
import { ENCRYPTED_TARGETS } from './channels/encrypted-targets.js';
import type { CredentialCipher } from './crypto/credential-cipher.js';
import { isSealed, reencrypt, refuseUnbound } from './crypto/reencryption.js';
import { ENCRYPTED_CREDENTIALS, ENCRYPTED_PREVIOUS_CREDENTIALS } from './credentials/encrypted-credentials.js';
import { ENCRYPTED_WEB_PUSH_KEYS } from './web-push/encrypted-keys.js';
import { ENCRYPTED_TOKENS } from './workspaces/encrypted-tokens.js';

/** Everything in the database that is encrypted with `ENCRYPTION_SECRET`. */
export const ENCRYPTED = [
  ENCRYPTED_CREDENTIALS,
  ENCRYPTED_PREVIOUS_CREDENTIALS,
  ENCRYPTED_SECRETS,
  ENCRYPTED_TARGETS,
  ENCRYPTED_WEB_PUSH_KEYS,
  ENCRYPTED_TOKENS,
];

/** Binds the values of older releases to their rows. Does nothing once that is done. */
export async function bindOldValues(source: DataSource, cipher: CredentialCipher): Promise<void> {
  for (const columns of ENCRYPTED) {
    if (await isSealed(source, columns.table)) continue;
    await reencrypt(source, cipher, columns);
    await refuseUnbound(source, columns);
  }
}

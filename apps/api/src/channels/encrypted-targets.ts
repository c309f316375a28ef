import type { Binding } from '../crypto/credential-cipher.js';
import type { EncryptedColumns } from '../crypto/encrypted-columns.js';

/** Targets and secrets decrypt only for their own channel. */
export const channelBinding = (channelId: number): Binding => ['channel', channelId];

export const ENCRYPTED_TARGETS: EncryptedColumns = {
  table: 'channels',
  key: 'id',
  columns: ['encrypted_target', 'encrypted_secret', 'encrypted_previous_secret'],
  row: ['id'],
  toBinding: ({ id }) => channelBinding(Number(id)),
};

import type { Binding } from '../crypto/credential-cipher.js';
import type { EncryptedColumns } from '../crypto/encrypted-columns.js';

/** A signing secret decrypts only for the callback of its own agent. */
export const secretBinding = (agentId: number): Binding => ['callback', agentId];

export const ENCRYPTED_SECRETS: EncryptedColumns = {
  table: 'callbacks',
  key: 'agent_id',
  columns: ['encrypted_secret', 'encrypted_previous_secret'],
  row: ['agent_id'],
  toBinding: ({ agent_id: agentId }) => secretBinding(Number(agentId)),
};

import type { Binding } from '../crypto/credential-cipher.js';
import type { EncryptedColumns } from '../crypto/encrypted-columns.js';

/** The binding of the token of an invitation that is not mailed yet. The token decrypts only for this invitation. */
export const invitationTokenBinding = (invitationId: number): Binding => ['invitation', invitationId];

export const ENCRYPTED_TOKENS: EncryptedColumns = {
  table: 'invitation_mails',
  key: 'invitation_id',
  columns: ['encrypted_token'],
  row: ['invitation_id'],
  toBinding: ({ invitation_id: id }) => invitationTokenBinding(Number(id)),
};

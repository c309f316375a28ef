import type { Binding } from '../crypto/credential-cipher.js';
import type { EncryptedColumns } from '../crypto/encrypted-columns.js';

export const WEB_PUSH_KEY_BINDING: Binding = ['web-push'];

export const ENCRYPTED_WEB_PUSH_KEYS: EncryptedColumns = {
  table: 'web_push_keys',
  key: 'id',
  columns: ['encrypted_private_key'],
  row: [],
  toBinding: () => WEB_PUSH_KEY_BINDING,
};

import type { Binding } from '../crypto/credential-cipher.js';
import type { EncryptedColumns } from '../crypto/encrypted-columns.js';

/** A credential decrypts only for its own service and under its own name. */
export const credentialBinding = (serviceId: number, name: string): Binding => ['credential', serviceId, name];

export const ENCRYPTED_CREDENTIALS: EncryptedColumns = {
  table: 'credentials',
  key: 'id',
  columns: ['encrypted_value'],
  row: ['service_id', 'name'],
  toBinding: ({ service_id: serviceId, name }) => credentialBinding(Number(serviceId), String(name)),
};

/** Values move between the two tables, so both bind them in the same way. */
export const ENCRYPTED_PREVIOUS_CREDENTIALS: EncryptedColumns = {
  ...ENCRYPTED_CREDENTIALS,
  table: 'previous_credentials',
};

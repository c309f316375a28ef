import type { Binding } from './credential-cipher.js';

/** A table with encrypted columns, as the part that owns the table describes it. */
export interface EncryptedColumns {
  table: string;
  /** An integer primary key. */
  key: string;
  columns: readonly string[];
  /** The columns that identify the row in `bindingOf`. */
  row: readonly string[];
  bindingOf: (row: Readonly<Record<string, string | number>>) => Binding;
}

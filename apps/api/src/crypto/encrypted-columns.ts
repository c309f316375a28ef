import type { Binding } from './credential-cipher.js';

/** A table with encrypted columns, as the part that owns the table describes it. */
export interface EncryptedColumns {
  table: string;
  /** An integer primary key. */
  key: string;
  columns: readonly string[];
  /** The columns that identify the row in `toBinding`. */
  row: readonly string[];
  toBinding: (row: Readonly<Record<string, string | number>>) => Binding;
}

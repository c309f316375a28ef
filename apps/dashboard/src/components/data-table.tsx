import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<T> {
  key: string;
  /** The heading of the column, and the label of the value on phones. */
  label: string;
  cell: (row: T) => ReactNode;
  /** `end` is for numbers. */
  align?: 'end';
  /** On phones, `title` is the first line of the card, `bare` has no visible label, and other cells are labelled lines. */
  phone?: 'title' | 'bare';
  width?: string;
}

interface Props<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
}

/** A table that becomes cards on phones. The roles are explicit, because changing `display` removes the native ones. */
export function DataTable<T>({ caption, columns, rows, keyOf }: Props<T>) {
  return (
    <table role="table" className={classes.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ key, label, align, width, phone }) => (
            <th key={key} role="columnheader" scope="col" data-align={align} style={{ inlineSize: width }}>
              {phone === 'bare' ? <span className="visually-hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ key, label, cell, align, phone }) => (
              <td key={key} role="cell" data-align={align} data-phone={phone} data-label={label}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

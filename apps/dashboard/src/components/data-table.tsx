import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<T> {
  key: string;
  /** The heading of the column, and the label of the value on phones. */
  label: string;
  cell: (row: T) => ReactNode;
  /** `end` is for numbers. */
  align?: 'end';
  /**
   * On phones, `title` is the first line of the card, `bare` has no visible label, and other cells are labelled lines.
   */
  phone?: 'title' | 'bare';
  width?: string;
  /** Its words stay on one line where the table is wide. */
  whole?: boolean;
}

interface Props<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
}

/** A table that becomes cards on phones. The roles are explicit, because changing `display` removes the native ones. */
export function DataTable<T>({ caption, columns, rows, rowKey }: Props<T>) {
  return (
    <Table
      role="table"
      className={classes.table}
      verticalSpacing={10}
      horizontalSpacing="lg"
      borderColor="var(--agw-line)"
      highlightOnHover
      highlightOnHoverColor="var(--agw-hover)"
      fz={14}
      style={{ overflowWrap: 'anywhere' }}
    >
      <caption className="visually-hidden">{caption}</caption>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map(({ key, label, align, width, phone }) => (
            <Table.Th
              key={key}
              role="columnheader"
              scope="col"
              ta={align}
              w={width}
              c="dimmed"
              fz="xs"
              fw={600}
              style={{ whiteSpace: 'nowrap' }}
            >
              {phone === 'bare' ? <span className="visually-hidden">{label}</span> : label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={rowKey(row)} role="row">
            {columns.map(({ key, label, cell, align, phone, whole }) => (
              <Table.Td key={key} role="cell" ta={align} data-phone={phone} data-label={label} data-whole={whole}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';

const styles = {
  // The value moves below its term if there is no room beside it. Each then has the whole width.
  item: { flexWrap: 'wrap', gap: '4px 16px', borderColor: 'var(--agw-line)' },
  itemLabel: { flex: '1 0 184px' },
  itemValue: { flex: '999 1 200px', minInlineSize: 0, overflowWrap: 'anywhere' },
} as const;

/** A list of names and values. Entries without a value are left out. */
export function Terms({ items }: { items: readonly [term: string, value: ReactNode][] }) {
  return (
    <DataList withDivider size="md" gap={7} styles={styles}>
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([term, value]) => (
          <DataList.Item key={term}>
            <DataList.ItemLabel>{term}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
    </DataList>
  );
}

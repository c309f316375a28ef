import type { AuditRecord } from '#contracts';
import type { RefObject } from 'react';
import type { VirtualListHandle } from '../../components/virtual-list.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { FILTERS, type HistoryView } from './filters.js';
import { messages } from './messages.js';

interface Options {
  view: HistoryView;
  records: readonly AuditRecord[];
  list: RefObject<VirtualListHandle | null>;
  open: (id: string) => void;
  set: (change: Record<string, string | number | null>) => void;
}

/** The keys that move through the records, open one, and filter by its agent. */
export function useRecordKeys({ view, records, list, open, set }: Options): void {
  const focused = () => records.findIndex(({ id }) => id === document.activeElement?.getAttribute('data-record'));

  function go(index: number) {
    const target = records[Math.max(0, Math.min(index, records.length - 1))];
    if (!target) return;
    list.current?.scrollTo(records.indexOf(target));
    // The virtual row exists only after the next paint.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-record="${target.id}"]`)?.focus()),
    );
  }

  useShortcuts(messages.keys.scope, [
    { keys: 'j', label: messages.keys.next, run: () => go(focused() + 1) },
    { keys: 'k', label: messages.keys.previous, run: () => go(focused() - 1) },
    {
      keys: 'o',
      label: messages.keys.open,
      run: () => {
        const record = records[focused()];
        if (record) open(record.id);
      },
    },
    {
      keys: 'f',
      label: messages.keys.filter,
      run: () => {
        const agentId = records[focused()]?.agent?.id;
        if (agentId && FILTERS[view.tab].includes('agent')) set({ agent: agentId });
      },
    },
  ]);
}

import { Button, NativeSelect, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EFFECTS } from '#contracts/effects';
import { HTTP_METHODS } from '#contracts/states';
import { effectMessages } from '../../components/effects/messages.js';
import { agentsQuery, servicesQuery } from '../../lib/queries.js';
import { filterMessages } from './filter-messages.js';
import { filterCount, listSorts, type FilterProps, type InboxView } from './filters.js';
import { messages } from './messages.js';

/** The filters of the list. Most people open them rarely, so they load on demand. */
export default function FilterSelects({ view, set, clear }: FilterProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: services = [] } = useQuery(servicesQuery);
  const any = { value: '', label: filterMessages.any };
  const named = (items: readonly { id: number; name: string }[]) =>
    items.map(({ id, name }) => ({ value: String(id), label: name }));
  const select = (name: keyof InboxView, label: string, value: string, data: { value: string; label: string }[]) => (
    <NativeSelect
      size="xs"
      label={label}
      value={value}
      data={data}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );
  return (
    <SimpleGrid cols={2} spacing="sm" pt="sm" style={{ alignItems: 'end' }}>
      {select('agent', filterMessages.agent, String(view.agent ?? ''), [any, ...named(agents)])}
      {select('service', filterMessages.service, String(view.service ?? ''), [any, ...named(services)])}
      {select('risk', filterMessages.risk, view.risk ?? '', [
        any,
        ...(['medium', 'high', 'critical'] as const).map((each) => ({
          value: each,
          label: filterMessages.riskFrom[each],
        })),
      ])}
      {select('effect', effectMessages.label, view.effect ?? '', [
        any,
        ...EFFECTS.map((each) => ({ value: each, label: effectMessages.words[each] })),
      ])}
      {select('method', filterMessages.method, view.method ?? '', [
        any,
        ...HTTP_METHODS.map((each) => ({ value: each, label: each })),
      ])}
      {select(
        'sort',
        filterMessages.sort,
        view.sort,
        listSorts(view.tab).map((each) => ({ value: each, label: messages.filters.sorts[each] })),
      )}
      <Button
        size="xs"
        variant="subtle"
        style={{ justifySelf: 'start' }}
        onClick={clear}
        disabled={filterCount(view) === 0 && !view.q}
      >
        {messages.filters.clear}
      </Button>
    </SimpleGrid>
  );
}

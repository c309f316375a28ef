import { HTTP_METHODS } from '#contracts/states';
import { Box, Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../../components/icon.js';
import { SearchField } from '../../components/search-field.js';
import { agentsQuery, servicesQuery } from '../../lib/queries.js';
import { peopleQuery } from './api.js';
import {
  DECISIONS,
  filterCount,
  FILTERS,
  NO_FILTERS,
  REQUEST_OUTCOMES,
  type FilterName,
  type HistoryView,
  type Tab,
} from './filters.js';
import { messages } from './messages.js';

const text = messages.filters;

interface Props {
  view: HistoryView;
  set: (change: Record<string, string | number | null>) => void;
}

const searchLabel = (tab: Tab): string => {
  if (tab === 'decisions') return text.searchDecisions;
  return tab === 'changes' || tab === 'access' ? text.searchChanges : text.search;
};

/** Search and filters of the list, all stored in the URL. */
export function FilterBar({ view, set }: Props) {
  // On a phone, open filters would hide the records. The button shows how many are active.
  const wide = useMediaQuery('(min-width: 45em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const [open, setOpen] = useState(wide && filterCount(view) > 0);
  const [typed, setTyped] = useState<string | null>(null);
  const setQ = useDebouncedCallback((value: string) => {
    set({ q: value });
    setTyped(null);
  }, 300);
  const count = filterCount(view);
  return (
    <div>
      <Group gap="sm" wrap="nowrap">
        <Box flex={1} miw={0} maw={420}>
          <SearchField
            label={searchLabel(view.tab)}
            value={typed ?? view.q}
            onChange={(value) => {
              setTyped(value);
              setQ(value);
            }}
          />
        </Box>
        <Button
          variant="default"
          aria-expanded={open}
          leftSection={<Icon name="filter" size={16} />}
          onClick={() => setOpen(!open)}
        >
          {count > 0 ? text.active(count) : text.open}
        </Button>
      </Group>
      {open && <Selects view={view} set={set} />}
    </div>
  );
}

function Selects({ view, set }: Props) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: services = [] } = useQuery(servicesQuery);
  const { data: people = [] } = useQuery(peopleQuery);
  const select = (name: Exclude<FilterName, 'request'>, label: string, data: { value: string; label: string }[]) =>
    FILTERS[view.tab].includes(name) && (
      <NativeSelect
        size="xs"
        label={label}
        value={String(view[name] ?? '')}
        data={[{ value: '', label: text.any }, ...data]}
        onChange={(event) => set({ [name]: event.currentTarget.value })}
      />
    );
  const named = (items: readonly { id: number | null; name: string }[]) =>
    items.map(({ id, name }) => ({ value: String(id), label: name }));
  const worded = <T extends string | number>(values: readonly T[], label: (value: T) => string) =>
    values.map((value) => ({ value: String(value), label: label(value) }));
  return (
    <SimpleGrid minColWidth={140} spacing="sm" pt="sm" style={{ alignItems: 'end' }}>
      {select(
        'decision',
        text.decision,
        worded(DECISIONS, (value) => text.decisions[value]),
      )}
      {select(
        'outcome',
        text.outcome,
        worded(REQUEST_OUTCOMES, (value) => messages.outcomes[value]),
      )}
      {select('person', text.person[view.tab], named(people))}
      {select('agent', text.agent, named(agents))}
      {select('service', text.service, named(services))}
      {select(
        'method',
        text.method,
        worded(HTTP_METHODS, (value) => value),
      )}
      {select(
        'status',
        text.status,
        worded([1, 2, 3, 4, 5], (value) => text.statuses[value]!),
      )}
      {/* Nobody knows the number of a rule, so its page links here. */}
      {view.rule !== null && select('rule', text.rule, [{ value: String(view.rule), label: text.ruleId(view.rule) }])}
      {FILTERS[view.tab].includes('request') && (
        <TextInput
          key={view.request}
          size="xs"
          label={text.request}
          classNames={{ input: 'mono' }}
          spellCheck={false}
          defaultValue={view.request}
          onBlur={(event) => set({ request: event.currentTarget.value.trim() })}
          onKeyDown={(event) => event.key === 'Enter' && set({ request: event.currentTarget.value.trim() })}
        />
      )}
      <Button
        size="xs"
        variant="subtle"
        style={{ justifySelf: 'start' }}
        disabled={filterCount(view) === 0 && view.q === ''}
        onClick={() => set(NO_FILTERS)}
      >
        {text.clear}
      </Button>
    </SimpleGrid>
  );
}

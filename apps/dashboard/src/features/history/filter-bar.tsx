import { HTTP_METHODS } from '#contracts/states';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../../components/Icon.js';
import { SearchField } from '../../components/SearchField.js';
import { agentsQuery, servicesQuery } from '../../lib/queries.js';
import { filterCount, REQUEST_OUTCOMES, type HistoryView } from './filters.js';
import classes from './history.module.css';
import { messages } from './messages.js';

const text = messages.filters;

interface Props {
  view: HistoryView;
  set: (change: Record<string, string | number | null>) => void;
}

/** Search and filters of the list; all of it lives in the URL. */
export function FilterBar({ view, set }: Props) {
  const requests = view.tab === 'requests';
  const [open, setOpen] = useState(filterCount(view) > 0);
  const [typed, setTyped] = useState<string | null>(null);
  const setQ = useDebouncedCallback((value: string) => {
    set({ q: value });
    setTyped(null);
  }, 300);
  const count = filterCount(view);
  return (
    <div className={classes.filterBar}>
      <div className={classes.filterTop}>
        <SearchField
          className={classes.search}
          label={requests ? text.search : text.searchChanges}
          value={typed ?? view.q}
          onChange={(value) => {
            setTyped(value);
            setQ(value);
          }}
        />
        {requests && (
          <Button
            variant="default"
            aria-expanded={open}
            leftSection={<Icon name="filter" size={16} />}
            onClick={() => setOpen(!open)}
          >
            {count > 0 ? text.active(count) : text.open}
          </Button>
        )}
      </div>
      {requests && open && <Selects view={view} set={set} />}
    </div>
  );
}

function Selects({ view, set }: Props) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: services = [] } = useQuery(servicesQuery);
  const any = { value: '', label: text.any };
  const select = (
    name: string,
    label: string,
    value: string | number | null,
    data: { value: string; label: string }[],
  ) => (
    <NativeSelect
      size="xs"
      label={label}
      value={String(value ?? '')}
      data={[any, ...data]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  const named = (items: readonly { id: number; name: string }[]) =>
    items.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <div className={classes.selects}>
      {select('agent', text.agent, view.agent, named(agents))}
      {select('service', text.service, view.service, named(services))}
      {select(
        'outcome',
        text.outcome,
        view.outcome,
        REQUEST_OUTCOMES.map((value) => ({ value, label: messages.outcomes[value] })),
      )}
      {select(
        'method',
        text.method,
        view.method,
        HTTP_METHODS.map((value) => ({ value, label: value })),
      )}
      {select(
        'status',
        text.status,
        view.status,
        Object.entries(text.statuses).map(([value, label]) => ({ value, label })),
      )}
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
      <Button
        size="xs"
        variant="subtle"
        className={classes.clear}
        disabled={filterCount(view) === 0 && view.q === ''}
        onClick={() =>
          set({ agent: null, service: null, outcome: null, method: null, status: null, request: null, q: null })
        }
      >
        {text.clear}
      </Button>
    </div>
  );
}

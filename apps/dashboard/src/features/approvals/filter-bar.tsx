import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { HTTP_METHODS } from '#contracts/states';
import { Icon } from '../../components/icon.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { agentsQuery, servicesQuery } from '../../lib/queries.js';
import classes from './filter-bar.module.css';
import { filterCount, sortsOf, type InboxView } from './filters.js';
import { messages } from './messages.js';

interface Props {
  view: InboxView;
  set: (name: string, value: string) => void;
  clear: () => void;
}

/** Search and filters of the list, all stored in the URL. Remount it when the search changes in another way than by typing. */
export function FilterBar({ view, set, clear }: Props) {
  const [open, setOpen] = useState(filterCount(view) > 0);
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(view.q);
  const setQ = useDebouncedCallback((value: string) => set('q', value), 250);
  useShortcuts(messages.keys.filter, [{ keys: '/', label: messages.keys.filter, run: () => search.current?.focus() }]);
  const count = filterCount(view);
  return (
    <div className={classes.bar}>
      <div className={classes.top}>
        <TextInput
          ref={search}
          className={classes.search}
          type="search"
          placeholder={messages.filters.search}
          aria-label={messages.filters.search}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setQ(event.currentTarget.value);
          }}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <Button
          variant="default"
          aria-expanded={open}
          leftSection={<Icon name="filter" size={16} />}
          onClick={() => setOpen(!open)}
        >
          {count > 0 ? messages.filters.active(count) : messages.filters.open}
        </Button>
      </div>
      {open && <Selects view={view} set={set} clear={clear} />}
    </div>
  );
}

function Selects({ view, set, clear }: Props) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: services = [] } = useQuery(servicesQuery);
  const any = { value: '', label: messages.filters.any };
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
  const { riskFrom, sorts } = messages.filters;
  return (
    <div className={classes.selects}>
      {select('agent', messages.filters.agent, String(view.agent ?? ''), [any, ...named(agents)])}
      {select('service', messages.filters.service, String(view.service ?? ''), [any, ...named(services)])}
      {select('risk', messages.filters.risk, view.risk ?? '', [
        any,
        ...(['medium', 'high', 'critical'] as const).map((each) => ({ value: each, label: riskFrom[each] })),
      ])}
      {select('method', messages.filters.method, view.method ?? '', [
        any,
        ...HTTP_METHODS.map((each) => ({ value: each, label: each })),
      ])}
      {select(
        'sort',
        messages.filters.sort,
        view.sort,
        sortsOf(view.tab).map((each) => ({ value: each, label: sorts[each] })),
      )}
      <Button
        size="xs"
        variant="subtle"
        className={classes.clear}
        onClick={clear}
        disabled={filterCount(view) === 0 && !view.q}
      >
        {messages.filters.clear}
      </Button>
    </div>
  );
}

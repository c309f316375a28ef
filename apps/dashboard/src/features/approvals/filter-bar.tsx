import { Box, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Icon } from '../../components/icon.js';
import { PartNotLoaded } from '../../components/notices.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { filterCount, type FilterProps } from './filters.js';
import { messages } from './messages.js';

const FilterSelects = lazy(() => import('./filter-selects.js').catch(() => ({ default: PartNotLoaded })));
/** The height of the filters, in rem, so that the list does not move when they arrive. */
const SELECTS_HEIGHT = '14.3rem';

/** Search and filters of the list, all stored in the URL. Remount it when the filters are cleared. */
export function FilterBar({ view, set, clear }: FilterProps) {
  const [open, setOpen] = useState(filterCount(view) > 0);
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(view.q);
  const sent = useRef(view.q);
  const setQ = useDebouncedCallback((value: string) => {
    sent.current = value;
    set('q', value);
  }, 250);
  useEffect(() => {
    // A link, and not the person, has changed the search.
    if (view.q !== sent.current) setText(view.q);
    sent.current = view.q;
  }, [view.q]);
  useShortcuts(messages.keys.filter, [{ keys: '/', label: messages.keys.filter, run: () => search.current?.focus() }]);
  const count = filterCount(view);
  return (
    <Box flex="none" maw="calc(272px + 8rem)" px="lg" pb={10}>
      <Group gap="sm" wrap="nowrap">
        <TextInput
          ref={search}
          flex={1}
          miw={0}
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
      </Group>
      {open && (
        <Suspense fallback={<Box h={SELECTS_HEIGHT} />}>
          <FilterSelects view={view} set={set} clear={clear} />
        </Suspense>
      )}
    </Box>
  );
}

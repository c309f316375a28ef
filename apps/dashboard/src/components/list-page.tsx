import { Anchor, Button, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useMay } from '../lib/workspace.js';
import { Icon, type IconName } from './icon.js';
import { Loaded } from './loaded.js';
import { EmptyState } from './notices.js';
import { Card, Page } from './page.js';
import { Paged } from './paged.js';

interface PageProps<T> {
  text: {
    title: string;
    lead: string;
    found: (count: number) => string;
    add: string;
    empty: string;
    emptyText: string;
  };
  /** Where the button for a new thing leads. */
  addTo: string;
  icon: IconName;
  query: UseQueryResult<T[]>;
  children: (all: T[]) => ReactNode;
}

/** The page of all things of a kind: their number, a button to add one, and the list. */
export function ListPage<T>({ text, addTo, icon, query, children }: PageProps<T>) {
  const add = useMay('admin') && (
    <Button component={Link} to={addTo} leftSection={<Icon name="plus" size={16} />}>
      {text.add}
    </Button>
  );
  const count = query.data?.length ?? 0;
  return (
    <Page
      title={text.title}
      lead={text.lead}
      aside={
        count > 0 && (
          <Text span c="dimmed" size="sm">
            {text.found(count)}
          </Text>
        )
      }
      actions={add}
    >
      <Loaded query={query}>
        {(all) =>
          all.length > 0 ? (
            children(all)
          ) : (
            <EmptyState icon={icon} title={text.empty} text={add && text.emptyText} action={add} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface FoundProps<T> {
  text: { noneFound: string; clear: string };
  rows: readonly T[];
  /** Clears the search. */
  clear: () => void;
  children: (shown: readonly T[]) => ReactNode;
}

/** The things that match the search, in pages. */
export function FoundRows<T>({ text, rows, clear, children }: FoundProps<T>) {
  if (rows.length > 0) return <Paged rows={rows}>{(shown) => <Card padded={false}>{children(shown)}</Card>}</Paged>;
  return (
    <EmptyState
      icon="search"
      title={text.noneFound}
      action={
        <Button variant="default" onClick={clear}>
          {text.clear}
        </Button>
      }
    />
  );
}

/** The first cell of a row: a link to the thing, and text that identifies it. */
export function NameCell({ to, name, identity }: { to: string; name: string; identity: string }) {
  return (
    <div>
      <Anchor component={Link} to={to} translate="no" c="var(--mantine-color-text)" fw={600} underline="hover">
        {name}
      </Anchor>
      <Text c="dimmed" className="mono" translate="no">
        {identity}
      </Text>
    </div>
  );
}

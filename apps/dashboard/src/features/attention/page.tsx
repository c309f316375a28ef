import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { Rows } from '../../components/rows.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { Moment } from '../../components/time.js';
import { messages } from './messages.js';
import type { Trouble } from './troubles.js';
import { useTroubles } from './use-troubles.js';

/** What needs an administrator and is no approval: one list, each with the way to mend it. */
export function Component() {
  const { troubles, error, refetch } = useTroubles();
  return (
    <Page title={messages.title} lead={messages.lead} width="text">
      {troubles === undefined ? (
        error ? (
          <ErrorCard error={error} retry={refetch} />
        ) : (
          <RowsSkeleton />
        )
      ) : troubles.length === 0 ? (
        <EmptyState title={messages.nothing} text={messages.nothingText} />
      ) : (
        <Card padded={false}>
          <Rows aria-label={messages.list}>
            {troubles.map((trouble) => (
              <TroubleRow key={trouble.key} trouble={trouble} />
            ))}
          </Rows>
        </Card>
      )}
    </Page>
  );
}

function TroubleRow({ trouble: { name, text, since, to, mend } }: { trouble: Trouble }) {
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Stack gap={2} flex="1 1 260px" miw={0}>
        <Text fw={600} className="anywhere" translate="no">
          {name}
        </Text>
        <Text className="anywhere">{text}</Text>
        {since !== null && (
          <Text size="sm" c="dimmed">
            {messages.since} <Moment at={since} />
          </Text>
        )}
      </Stack>
      <Button component={Link} to={to} variant="default" aria-label={`${mend}: ${name}`}>
        {mend}
      </Button>
    </Group>
  );
}

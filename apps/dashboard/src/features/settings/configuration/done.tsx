import type { ConfigurationChange, ImportResult } from '#contracts';
import { Button, Group, Stack, Title } from '@mantine/core';
import { Callout } from '../../../components/notices.js';
import { Card } from '../../../components/page.js';
import { Changes } from './changes.js';
import { messages } from './messages.js';

const text = messages.apply;

/** What an import has done, and what is left for a person to do. */
export function Done({ result, another }: { result: ImportResult; another: () => void }) {
  const hasNew = (kind: ConfigurationChange['kind']) => result.created.some((change) => change.kind === kind);
  return (
    <Card>
      <Stack role="group" aria-label={text.doneTitle}>
        <Title order={2} size="h3">
          {text.doneTitle}
        </Title>
        {hasNew('service') && <Callout tone="warning">{text.credentials}</Callout>}
        {hasNew('agent') && <Callout tone="warning">{text.keys}</Callout>}
        <Changes result={result} />
        <Group>
          <Button variant="default" onClick={another}>
            {text.another}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

import type { SlackLink } from '#contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FormError } from '../../components/form-foot.js';
import { Card, Section } from '../../components/page.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { day } from '../../lib/format.js';
import { showDone } from '../../lib/toasts.js';
import { endSlackLink, slackLinksQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.slack;

/** The Slack users that decide as the person. Renders nothing if there are none. */
export function SlackLinks() {
  const { data: links = [] } = useQuery(slackLinksQuery);
  if (links.length === 0) return null;
  return (
    <Section title={text.links}>
      <Card>
        <Stack>
          {links.map((link) => (
            <Linked key={link.id} link={link} />
          ))}
        </Stack>
      </Card>
    </Section>
  );
}

function Linked({ link: { id, slackName, channel, linkedAt } }: { link: SlackLink }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSlackLink(id),
    onSuccess: () => {
      showDone(text.ended);
      return queryClient.invalidateQueries({ queryKey: slackLinksQuery.queryKey });
    },
  });
  return (
    <>
      <Group justify="space-between">
        <div>
          <UntrustedText text={slackName} />
          <Text c="dimmed" size="sm" className="anywhere">
            {text.since(channel, day(linkedAt))}
          </Text>
        </div>
        <Button
          variant="default"
          loading={end.isPending}
          aria-label={text.endIt(slackName)}
          onClick={() => end.mutate()}
        >
          {text.end}
        </Button>
      </Group>
      <FormError error={end.error} />
    </>
  );
}

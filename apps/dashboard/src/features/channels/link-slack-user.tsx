import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { FormError } from '../../components/form-foot.js';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { sharedMessages } from '../../lib/messages.js';
import { meQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { linkSlackUser, slackLinksQuery, viewSlackLink } from './api.js';
import { messages } from './messages.js';

const text = messages.slack;
const HERE = '/settings/notifications';

/** The dialog that a link from Slack opens. The person compares the Slack user, and confirms. */
export function LinkSlackUser({ token }: { token: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const asked = useQuery({
    queryKey: queryKeys.slackLink(token),
    queryFn: () => viewSlackLink(token),
    retry: false,
    gcTime: 0,
  });
  const leave = () => void navigate(HERE, { replace: true });
  const link = useMutation({
    mutationFn: () => linkSlackUser(token),
    onSuccess: () => {
      showDone(text.done);
      leave();
      return queryClient.invalidateQueries({ queryKey: slackLinksQuery.queryKey });
    },
    gcTime: 0,
  });
  return (
    <Section title={text.title}>
      <Card>
        <Loaded query={asked}>
          {({ slackName, slackUserId, channel }) => (
            <Stack>
              <Terms
                items={[
                  [text.asks, <UntrustedText key="name" text={slackName} inline />],
                  [text.id, <UntrustedText key="id" text={slackUserId} inline />],
                  [text.channel, channel],
                  [text.account, me === undefined ? '…' : `${me.name} (${me.email})`],
                ]}
              />
              <Callout tone="warning">
                <Text>{text.warning}</Text>
              </Callout>
              <FormError error={link.error} />
              <Group gap="sm">
                <Button loading={link.isPending} onClick={() => link.mutate()}>
                  {text.submit}
                </Button>
                <Button variant="default" onClick={leave}>
                  {sharedMessages.actions.cancel}
                </Button>
              </Group>
            </Stack>
          )}
        </Loaded>
      </Card>
    </Section>
  );
}

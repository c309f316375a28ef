import type { ModelStatus, ModelTest } from '#contracts';
import { Box, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { elapsed, number } from '../../lib/format.js';
import { statusQuery } from '../../lib/queries.js';
import { showFailure } from '../../lib/toasts.js';
import { testModel } from './api.js';
import { Lead } from './lead.js';
import { messages } from './messages.js';

/** The calls of the model, and one more that tests it. */
export function ModelSection({ model }: { model: ModelStatus }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: testModel,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: statusQuery.queryKey }),
    onError: showFailure,
  });
  return (
    <Section
      title={messages.model.title}
      actions={
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {messages.model.test}
        </Button>
      }
    >
      <Card>
        <Lead>{messages.model.lead}</Lead>
        <Box mb="sm" role="status">
          {test.data ? <Result test={test.data} /> : <Lead>{messages.model.testHint}</Lead>}
        </Box>
        <Terms
          items={[
            [messages.model.name, <Code text={model.model} />],
            [messages.model.url, <Code text={model.baseUrl} />],
            [messages.model.calls, number(model.calls)],
            [messages.model.failures, number(model.failures)],
            [messages.model.timeouts, number(model.timeouts)],
            [messages.model.p95, model.p95Ms !== null && elapsed(model.p95Ms)],
            [
              messages.model.lastSuccess,
              model.lastSuccessAt ? <RelativeTime at={model.lastSuccessAt} /> : messages.model.never,
            ],
            [
              messages.model.lastFailure,
              model.lastFailureAt ? (
                <span>
                  <RelativeTime at={model.lastFailureAt} /> {model.lastFailure}
                </span>
              ) : (
                messages.model.never
              ),
            ],
          ]}
        />
      </Card>
    </Section>
  );
}

const Code = ({ text }: { text: string }) => (
  <span className="mono" translate="no">
    {text}
  </span>
);

/** From here on, the request would be held with the default threshold. */
const HIGH = 0.5;

function Result({ test: { ms, score, explanation, error } }: { test: ModelTest }) {
  if (score === null) return <Callout tone="danger">{messages.model.bad(error ?? '', ms)}</Callout>;
  return (
    <Callout tone={score >= HIGH ? 'success' : 'warning'}>
      <Stack gap={4}>
        <span>{messages.model.good(ms, score)}</span>
        {explanation && (
          <Text span inherit c="dimmed">
            “<UntrustedText text={explanation} inline prose />”
          </Text>
        )}
        {score < HIGH && <span>{messages.model.low}</span>}
      </Stack>
    </Callout>
  );
}

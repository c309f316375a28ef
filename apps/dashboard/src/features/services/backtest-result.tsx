import type { Backtest, BacktestExample } from '#contracts';
import { Anchor, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { RequestSummary } from '../../components/request/request-summary.js';
import { RelativeTime } from '../../components/time.js';
import { failure } from '../../lib/http.js';
import { sharedMessages } from '../../lib/messages.js';
import { askForSectionMessages } from './ask-for-messages.js';
import { BACKTEST_LAST } from './backtest.js';

const text = askForSectionMessages.backtest;

interface Props {
  query: { data: Backtest | undefined; error: unknown };
  /** The result is of an earlier draft, or is not there yet. */
  busy: boolean;
  /** How many of the latest requests it concerns, in words. */
  concerns: (matched: number, of: number) => string;
}

/** What a change would have done to the latest requests. It may take some seconds. */
export function BacktestResult({ query: { data, error }, busy, concerns }: Props) {
  return (
    <Paper role="status" aria-busy={busy} px="md" py={10} fz="sm" bg="var(--agw-selected)">
      {busy ? (
        <Group gap="xs">
          <Loader size={14} /> {text.running(BACKTEST_LAST)}
        </Group>
      ) : error ? (
        text.failed(failure(error).message)
      ) : (
        data && <Result backtest={data} concerns={concerns} />
      )}
    </Paper>
  );
}

function Result({ backtest, concerns }: { backtest: Backtest; concerns: Props['concerns'] }) {
  const { of, matched, undecided, changed, examples, note } = backtest;
  if (of === 0) return text.none;
  return (
    <Stack gap={4}>
      <div>
        <b>{concerns(matched, of)}</b> {text.changes(changed)} {undecided > 0 && text.undecided(undecided)}
      </div>
      {note && (
        <Text size="sm" c="dimmed">
          {note}.
        </Text>
      )}
      {examples.length > 0 && (
        <details open>
          <summary>{text.examples(examples.length)}</summary>
          <Stack component="ul" className="plain-list" gap={6} mt={4}>
            {examples.map((example, index) => (
              <li key={index}>
                <Example example={example} />
              </li>
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}

function Example({ example }: { example: BacktestExample }) {
  const { method, targetUrl, at, outcome, wouldBe, actionId, status } = example;
  return (
    <>
      <RequestSummary method={method} targetUrl={targetUrl} />
      <Text span display="block" size="sm" c="dimmed">
        <RelativeTime at={at} />:{' '}
        {outcome === wouldBe
          ? text.stays(text.outcomes[outcome])
          : text.becomes(text.outcomes[outcome], text.outcomes[wouldBe])}
        {actionId !== null && status !== null && (
          <>
            {' · '}
            {/* In another tab, because the rule is not saved yet. */}
            <Anchor component={Link} to={`/approvals/${actionId}`} target="_blank" inherit>
              {text.decided(sharedMessages.status[status])}
            </Anchor>
          </>
        )}
      </Text>
    </>
  );
}

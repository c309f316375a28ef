import type { Backtest, BacktestExample } from '#contracts';
import { Anchor, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { RequestSummary } from '../../components/request/request-summary.js';
import { RelativeTime } from '../../components/time.js';
import { failure } from '../../lib/http.js';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { askForSectionMessages } from './ask-for-messages.js';
import { BACKTEST_LAST } from './backtest.js';

const text = askForSectionMessages.backtest;

interface Props {
  query: { data: Backtest | undefined; error: unknown };
  /** The result is of an earlier draft, or is not there yet. */
  busy: boolean;
  /** How many of the latest requests it concerns, in words. */
  concerns: (backtest: Backtest) => string;
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
  const { of, undecided, undecidedBecause, changed, examples, note } = backtest;
  if (of === 0) return text.none;
  return (
    <Stack gap={4}>
      <div>
        <b>{concerns(backtest)}</b> {text.changes(changed)}
      </div>
      {undecided > 0 && (
        <ul>
          {undecidedBecause.map(({ reason, count }) => (
            <li key={reason} style={{ overflowWrap: 'anywhere' }}>
              {text.because(count)} <UntrustedText text={reason} inline prose />.
            </li>
          ))}
        </ul>
      )}
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
  const { method, targetUrl, at, actionId, status } = example;
  return (
    <>
      <RequestSummary method={method} targetUrl={targetUrl} />
      <Text span display="block" size="sm" c="dimmed">
        <RelativeTime at={at} />: {changeWords(example)}
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

/** The number of people stands beside what is asked about only where it is not always one. */
function changeWords({ outcome, wouldBe, approvals, wouldNeed, otherApprovers }: BacktestExample): string {
  const people = (named: string, count: number | null) =>
    count !== null && Math.max(approvals ?? 1, wouldNeed ?? 1) > 1 ? text.people(named, count) : named;
  const [before, after] = [people(text.outcomes[outcome], approvals), people(text.outcomes[wouldBe], wouldNeed)];
  if (before !== after) return text.becomes(before, after);
  return otherApprovers ? text.otherPeople(before) : text.stays(before);
}

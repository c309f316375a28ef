import type { Action } from '#contracts';
import { Text } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { useNow } from '../../lib/clock.js';
import { ago, orList } from '../../lib/format.js';
import { useMay } from '../../lib/workspace.js';
import { approvalsMessages } from './approvals-messages.js';
import { TakeBack } from './take-back.js';

const NAMED_MAX = 3;

/** Shows who must approve, who has approved, and who can. It is for actions that the reader can't decide alone. */
export default function Approvals({ action }: { action: Action }) {
  const { approvals, status } = action;
  const { needed, given, tooFew, you, whyNot } = approvals;
  const decides = useMay('approver');
  const givenText = useNow((now) => given.map(({ name, at }) => approvalsMessages.given(name, ago(at, now))).join(' '));
  if (status !== 'PENDING') return needed > 1 && given.length > 0 && <Text c="dimmed">{givenText}</Text>;
  return (
    <>
      <Text component="div">
        {needed > 1 && approvalsMessages.needs(needed)} {givenText} {!tooFew && nextWords(action)}
        {whyNot && decides && ` ${approvalsMessages.whyNot[whyNot]}`}
      </Text>
      {you === 'approved' && <TakeBack action={action} />}
      {tooFew && (
        <Callout tone="warning">{approvalsMessages.tooFew(approvals.mayApprove.map(({ name }) => name))}</Callout>
      )}
    </>
  );
}

function nextWords({ approvals: { needed, given, mayApprove, mayApproveCount } }: Action): string {
  // A team of ten would fill five lines of a phone.
  const names = mayApprove.slice(0, mayApproveCount > NAMED_MAX ? 2 : NAMED_MAX).map(({ name }) => name);
  const others = mayApproveCount - names.length;
  const people = orList(others > 0 ? [...names, approvalsMessages.others(others)] : names);
  return needed > 1 ? approvalsMessages.next(people, given.length + 1) : approvalsMessages.mayApprove(people);
}

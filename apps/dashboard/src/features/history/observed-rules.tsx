import type { AuditRecord } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { UntrustedText } from '../../components/untrusted-text.js';
import { rulesQuery } from '../../lib/rules-query.js';
import { useReads } from '../../lib/workspace.js';
import { messages } from './messages.js';

const text = messages.drawer;

/** What each observed rule would have decided. Rules that are gone, or that the person may not see, have only a number. */
export function ObservedRules({ record: { observed, service } }: { record: AuditRecord }) {
  const reads = useReads();
  const serviceId = service?.id ?? 0;
  const { data: rules = [] } = useQuery({ ...rulesQuery(serviceId), enabled: reads && serviceId > 0 });
  return observed?.map(({ ruleId, wouldBe }) => (
    <div key={ruleId}>
      <UntrustedText text={rules.find(({ id }) => id === ruleId)?.name ?? text.observedRule(ruleId)} inline />{' '}
      {text.wouldBe[wouldBe]}
    </div>
  ));
}

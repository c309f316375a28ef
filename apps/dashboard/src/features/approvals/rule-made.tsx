import type { RiskRule } from '#contracts';
import { ThingLink } from '../../components/thing-link.js';
import { spelledOut } from '../../lib/text-safety.js';
import { takeBackMessages } from './take-back-messages.js';

/** Names the rule that was created with an approval. */
export function RuleMade({ rule, serviceId }: { rule: RiskRule; serviceId: number | null }) {
  return (
    <div>
      {takeBackMessages.ruleMade}{' '}
      <ThingLink kind="services" id={serviceId} tab="rules">
        {spelledOut(rule.name)}
      </ThingLink>
    </div>
  );
}

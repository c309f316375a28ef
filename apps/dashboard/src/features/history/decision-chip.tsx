import type { AuditRecord } from '#contracts';
import { Chip } from '../../components/chip.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import { decisionTone, outcomeTone } from './words.js';

/** The outcome of a request. For a held request, the decision and who made it. */
export function OutcomeChip({ record }: { record: AuditRecord }) {
  const { decision, kind, outcome } = record;
  const held = kind === 'request' && outcome === 'held' ? decision : null;
  return (
    <span className={classes.outcome}>
      <Chip tone={held ? decisionTone(held.state) : outcomeTone(record)}>
        {held ? messages.states[held.state] : messages.outcomes[outcome]}
      </Chip>
      {decision?.by && <span className={classes.by}>{messages.by(decision.by.name)}</span>}
    </span>
  );
}

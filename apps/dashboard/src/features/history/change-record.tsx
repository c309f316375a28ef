import type { AuditRecord } from '#contracts';
import { ThingLink } from '../../components/thing-link.js';
import { changeTerms } from './change-details.js';
import { messages } from './messages.js';
import { intentTerm, RecordView } from './record-view.js';
import { reasonWords } from './words.js';

const text = messages.drawer;

/** The record of a change, a decision, or an access such as a login. */
export function ChangeRecord({ record }: { record: AuditRecord }) {
  return (
    <RecordView
      record={record}
      terms={[
        [text.who, record.actor?.name ?? messages.somebody],
        [messages.columns.what, reasonWords(record.reason)],
        [text.outcome, record.outcome !== 'changed' && messages.outcomes[record.outcome]],
        [
          text.service,
          record.service && (
            <ThingLink kind="services" id={record.service.id}>
              {record.service.name}
            </ThingLink>
          ),
        ],
        [
          text.agent,
          record.agent && (
            <ThingLink kind="agents" id={record.agent.id}>
              {record.agent.name}
            </ThingLink>
          ),
        ],
        intentTerm(record),
        ...changeTerms(record),
      ]}
    />
  );
}

import type { AuditRecord } from '#contracts';
import { Moment } from '../../components/time.js';
import { changeTerms } from './change-details.js';
import { messages } from './messages.js';
import { agentTerm, intentTerm, RecordView, serviceTerm } from './record-view.js';
import { reasonWords } from './words.js';

const text = messages.drawer;

/** The record of a change, a decision, or an access such as a login. */
export function ChangeRecord({ record }: { record: AuditRecord }) {
  return (
    <RecordView
      record={record}
      terms={[
        [text.who, record.actor?.name ?? messages.somebody],
        [record.actionId === null ? messages.columns.what : text.decided, reasonWords(record.reason)],
        [text.outcome, record.outcome !== 'changed' && messages.outcomes[record.outcome]],
        [text.undone, record.undoneAt && <Moment at={record.undoneAt} />],
        serviceTerm(record),
        agentTerm(record),
        intentTerm(record),
        ...changeTerms(record),
      ]}
    />
  );
}

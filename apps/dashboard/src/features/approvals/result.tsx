import type { Action } from '#contracts';
import { BodyView } from '../../components/request/body-view.js';
import { headerOf, HeadersView } from '../../components/request/request-view.js';
import { Section } from '../../components/page.js';
import { StatusCode } from '../../components/status-chip.js';
import { Moment } from '../../components/time.js';
import classes from './action-detail.module.css';
import { messages } from './messages.js';

/** The complete upstream response after an execution. */
export function ResultSection({ action }: { action: Action }) {
  const { result } = action;
  if (!result) return null;
  return (
    <Section title={messages.result.title}>
      <div className={classes.result}>
        <div className={classes.resultHead}>
          <StatusCode status={result.status} />
          {action.executed_at && <Moment at={action.executed_at} />}
        </div>
        <BodyView
          body={result.body}
          bodyEncoding={result.bodyEncoding}
          contentType={headerOf(result.headers, 'content-type')}
        />
        <HeadersView headers={result.headers} />
      </div>
    </Section>
  );
}

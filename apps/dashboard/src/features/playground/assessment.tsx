import type { RiskAssessment } from '#contracts';
import { CopyButton } from '../../components/copy-button.js';
import { Callout } from '../../components/notices.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { Terms } from '../../components/terms.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { score } from '../../lib/format.js';
import { messages } from './messages.js';
import classes from './playground.module.css';

/** The decision in a sentence, then its scores and reasons. */
export function AssessmentView({ assessment }: { assessment: RiskAssessment }) {
  const { decision } = assessment;
  return (
    <div className={classes.result}>
      <Callout tone={decision === 'forward' ? 'success' : decision === 'hold' ? 'warning' : 'danger'}>
        <b className={classes.decision}>{messages.decisions[decision]}</b>
        <div>{whyOf(assessment)}</div>
      </Callout>
      <div>
        <h2 className={classes.title}>{messages.formula}</h2>
        <Formula assessment={assessment} />
      </div>
      <div>
        <h2 className={classes.title}>{messages.rules}</h2>
        {assessment.matchedRules.length === 0 ? (
          <div className={classes.dim}>{messages.noRules}</div>
        ) : (
          <ol className={classes.rules}>
            {assessment.matchedRules.map(({ id, name, effect }) => (
              <li key={id}>
                {name} <span className={classes.dim}>→ {messages.effects[effect]}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
      <Terms
        items={[
          [messages.explanation, <UntrustedText text={assessment.explanation} />],
          [messages.source, messages.sources[assessment.source]],
          [messages.took, messages.elapsed(assessment.durationMs)],
        ]}
      />
      {assessment.prompt !== null && (
        <details className={classes.prompt}>
          <summary>{messages.prompt}</summary>
          <div className={classes.promptHead}>
            <span className={classes.dim}>{messages.promptHint}</span>
            <CopyButton text={assessment.prompt} variant="subtle" />
          </div>
          <pre className={classes.promptText} tabIndex={0} role="region" aria-label={messages.prompt}>
            <UntrustedText text={assessment.prompt} />
          </pre>
        </details>
      )}
    </div>
  );
}

function whyOf({ source, matchedRules, decision, score: value, threshold }: RiskAssessment): string {
  const decisive = matchedRules.find(({ effect }) => effect !== 'guidance');
  if (source === 'rule' && decisive) return messages.why.rule(decisive.name);
  if (source === 'model_timeout') return messages.why.timeout;
  return decision === 'forward' ? messages.why.below(value, threshold) : messages.why.above(value, threshold);
}

/** 0.7 × model + 0.3 × method = score, with numbers (docs/reference/risk.md#score). */
function Formula({ assessment }: { assessment: RiskAssessment }) {
  const { llmScore, heuristicScore, score: total, source } = assessment;
  return (
    <div className={classes.formula}>
      {llmScore !== null ? (
        <>
          <Part factor="0.7 ×" value={llmScore} label={messages.model} />
          <span aria-hidden="true">+</span>
          <Part factor="0.3 ×" value={heuristicScore} label={messages.method2} />
          <span aria-hidden="true">=</span>
        </>
      ) : (
        <span className={classes.dim}>
          {source === 'rule' ? messages.notAsked : messages.failed(score(heuristicScore), score(total))}
        </span>
      )}
      <RiskBadge score={total} />
    </div>
  );
}

function Part({ factor, value, label }: { factor: string; value: number; label: string }) {
  return (
    <span className={classes.part}>
      <span>
        {factor} <b>{score(value)}</b>
      </span>
      <span className={classes.partLabel}>{label}</span>
    </span>
  );
}

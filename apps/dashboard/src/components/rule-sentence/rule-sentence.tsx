import type { RiskRule } from '#contracts';
import { UntrustedText } from '../untrusted-text.js';
import { messages as text } from './messages.js';
import classes from './rule-sentence.module.css';

type Said = Pick<RiskRule, 'effect' | 'methods' | 'pathPattern' | 'agentIds' | 'instruction'>;

/** A rule as a sentence: When billing-bot sends DELETE to /customers/** → Ask. */
export function RuleSentence({ rule, agentName }: { rule: Said; agentName: (id: number) => string }) {
  const agents = rule.agentIds.length === 0 ? text.any : rule.agentIds.map(agentName).join(', ');
  return (
    <span className={classes.sentence}>
      {text.when} <b>{agents}</b>{' '}
      <b>{rule.methods.length === 0 ? text.anyMethod : text.does(rule.methods.join(', '))}</b> {text.on}{' '}
      {rule.pathPattern === '' || rule.pathPattern === '/**' ? (
        <b>{text.anyPath}</b>
      ) : (
        <b className="mono">
          <UntrustedText text={rule.pathPattern} inline />
        </b>
      )}{' '}
      <span aria-hidden="true">→</span>
      <span className="visually-hidden">{text.arrow}</span>{' '}
      <b className={classes.effect} data-effect={rule.effect}>
        {text.effects[rule.effect]}
      </b>
      {rule.effect === 'guidance' && rule.instruction !== '' && (
        <>
          {' '}
          “<UntrustedText text={rule.instruction} inline />”
        </>
      )}
    </span>
  );
}

/** The default name of a rule. */
export const ruleName = (rule: Pick<RiskRule, 'effect' | 'methods' | 'pathPattern'>): string =>
  [
    text.effects[rule.effect],
    rule.methods.length > 0 ? rule.methods.join(', ') : undefined,
    rule.pathPattern && rule.pathPattern !== '/**' ? rule.pathPattern : undefined,
  ]
    .filter(Boolean)
    .join(' ');

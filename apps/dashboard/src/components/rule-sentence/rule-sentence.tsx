import type { RiskRule } from '#contracts';
import type { RuleEffect } from '#contracts/states';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { UntrustedText } from '../untrusted-text.js';
import { conditionWords } from './condition-words.js';
import { ruleSentenceMessages } from './messages.js';

type Said = Pick<RiskRule, 'effect' | 'methods' | 'pathPattern' | 'agentIds' | 'instruction'> &
  Partial<Pick<RiskRule, 'approvals' | 'approverIds' | 'limit' | 'when'>>;

const COLORS: Partial<Record<RuleEffect, string>> = {
  deny: 'var(--agw-critical)',
  require_approval: 'var(--agw-medium)',
  allow: 'var(--agw-low)',
};

/** A rule as a sentence: When billing-bot sends DELETE to /customers/** → Ask. */
export function RuleSentence({ rule, agentName }: { rule: Said; agentName: (id: number) => string }) {
  const agents = rule.agentIds.length === 0 ? ruleSentenceMessages.any : rule.agentIds.map(agentName).join(', ');
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere' }}>
      {ruleSentenceMessages.when} <Strong exact={rule.agentIds.length > 0}>{agents}</Strong>{' '}
      <Strong>
        {rule.methods.length === 0
          ? ruleSentenceMessages.anyMethod
          : ruleSentenceMessages.does(rule.methods.join(', '))}
      </Strong>{' '}
      {ruleSentenceMessages.on}{' '}
      {rule.pathPattern === '' || rule.pathPattern === '/**' ? (
        <Strong>{ruleSentenceMessages.anyPath}</Strong>
      ) : (
        <Strong className="mono" exact>
          <UntrustedText text={rule.pathPattern} inline />
        </Strong>
      )}{' '}
      {rule.when && <Condition condition={rule.when} />}
      <span aria-hidden="true">→</span>
      <span className="visually-hidden">{ruleSentenceMessages.arrow}</span>{' '}
      <Strong color={COLORS[rule.effect]}>{ruleSentenceMessages.effects[rule.effect]}</Strong>
      {asked(rule) && <> {asked(rule)}</>}
      {rule.limit?.sum && (
        <>
          {' '}
          {ruleSentenceMessages.total}{' '}
          <Strong className="mono" exact>
            <UntrustedText text={rule.limit.sum} inline />
          </Strong>
        </>
      )}
      {rule.limit && <> {ruleSentenceMessages.limit(rule.limit.count, rule.limit.per, rule.limit.then)}</>}
      {rule.effect === 'guidance' && rule.instruction !== '' && (
        <>
          {' '}
          “<UntrustedText text={rule.instruction} inline prose />”
        </>
      )}
    </Text>
  );
}

/** Bold text of several lines would hide what the rule does. */
const BOLD_MAX = 80;

/** In words if it is simple, else as CEL. Its names and values may come from a request. */
function Condition({ condition }: { condition: string }) {
  const words = conditionWords(condition);
  const shown = words ?? condition;
  return (
    <>
      {words === null ? ruleSentenceMessages.andWhen : ruleSentenceMessages.and}{' '}
      <Strong className={words === null ? 'mono' : undefined} exact isBold={shown.length <= BOLD_MAX}>
        <UntrustedText text={shown} inline />
      </Strong>{' '}
    </>
  );
}

/** `2 of 3 named people`. Older records of rules don't have these fields. */
function asked({ effect, approvals = 1, approverIds = [] }: Said): string | null {
  if (effect !== 'require_approval') return null;
  const named = approverIds.length;
  if (named === 0) return approvals > 1 ? ruleSentenceMessages.approvals(approvals) : null;
  return approvals > 1
    ? `${approvals} ${ruleSentenceMessages.of} ${ruleSentenceMessages.named(named)}`
    : ruleSentenceMessages.named(named);
}

interface StrongProps {
  color?: string;
  className?: string;
  /** A name or a path, which browsers must not translate. */
  exact?: boolean;
  isBold?: boolean;
  children: ReactNode;
}

function Strong({ color, className, exact = false, isBold = true, children }: StrongProps) {
  return (
    <Text
      span
      inherit
      fw={isBold ? 600 : undefined}
      c={color}
      className={className}
      translate={exact ? 'no' : undefined}
    >
      {children}
    </Text>
  );
}

/** The default name of a rule. */
export const ruleName = (rule: Pick<RiskRule, 'effect' | 'methods' | 'pathPattern' | 'when'>): string =>
  [
    ruleSentenceMessages.effects[rule.effect],
    rule.methods.length > 0 ? rule.methods.join(', ') : undefined,
    rule.pathPattern && rule.pathPattern !== '/**' ? rule.pathPattern : undefined,
    rule.when ? `${ruleSentenceMessages.if} ${conditionWords(rule.when) ?? rule.when}` : undefined,
  ]
    .filter(Boolean)
    .join(' ');

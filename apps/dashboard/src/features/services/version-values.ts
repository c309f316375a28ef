import type { RiskRule } from '#contracts';
import { conditionWords } from '../../components/rule-sentence/condition-words.js';
import { ruleSentenceMessages } from '../../components/rule-sentence/messages.js';
import { dateTime, number } from '../../lib/format.js';
import type { VersionedField } from './changed-fields.js';
import { ruleVersionsMessages } from './rule-versions-messages.js';

/** How agents and people are called. */
export interface Names {
  agent: (id: number) => string;
  person: (id: number) => string;
}

const { nothing, every, on, off, never, modes, exceptions } = ruleVersionsMessages;

/** What a rule has in a field, in words. */
export function versionValue(rule: RiskRule, field: VersionedField, names: Names): string {
  switch (field) {
    case 'effect':
      return ruleSentenceMessages.effects[rule.effect];
    case 'methods':
      return rule.methods.join(', ') || every;
    case 'agentIds':
      return rule.agentIds.map(names.agent).join(', ') || every;
    case 'approverIds':
      return rule.approverIds.map(names.person).join(', ') || every;
    case 'pathPattern':
      return rule.pathPattern || every;
    case 'when':
      return rule.when === '' ? nothing : (conditionWords(rule.when) ?? rule.when);
    case 'limit':
      return rule.limit ? limitWords(rule.limit) : nothing;
    case 'expiresAt':
      return rule.expiresAt === null ? never : dateTime(rule.expiresAt);
    case 'maxUses':
      return rule.maxUses === null ? nothing : number(rule.maxUses);
    case 'isActive':
      return rule.isActive ? on : off;
    case 'mode':
      return modes[rule.mode];
    case 'exceptions':
      return exceptions[rule.exceptions];
    case 'name':
    case 'instruction':
      return rule[field] || nothing;
    case 'approvals':
      return number(rule.approvals);
  }
}

const limitWords = ({ count, per, then, sum }: NonNullable<RiskRule['limit']>): string => {
  const words = ruleSentenceMessages.limit(count, per, then);
  return sum === undefined ? words : `${ruleSentenceMessages.total} ${sum} ${words}`;
};

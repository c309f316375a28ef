import { stringify } from 'yaml';
import type { HttpMethod, RiskSource } from '#contracts/states';
import { namedRule } from '../risk/rule-names.js';
import { withoutSecretFields, withoutSecretHeaders, withoutSecretParameters } from './case-secrets.js';
import type { Expected } from './policy-case.js';

/** A recorded request of an agent. */
export interface RecordedCase {
  id: string;
  at: Date;
  agent: string;
  service: string;
  method: HttpMethod;
  url: string;
  intent: string | null;
  riskSource: RiskSource | null;
  riskScore: number | null;
  riskExplanation: string | null;
  /** Why it was refused. */
  reason: string | null;
  outcome: string;
  /** What is kept of a held request. Null: it was not held, or is no longer kept. */
  held: { headers: Record<string, string>; body: string | null; isBinary: boolean } | null;
}

/** A longer body would hide the other cases of a file. */
const BODY_MAX = 100_000;

/** A list of one case as YAML, with comments that say what the record does not. */
export function toCaseText(recorded: RecordedCase): string {
  const { at, agent, service, method, url, intent, held } = recorded;
  const body = held?.body ?? null;
  const isBodyKept = body !== null && body.length <= BODY_MAX;
  const found = {
    service,
    agent,
    at: at.toISOString(),
    request: {
      method,
      targetUrl: withoutSecretParameters(url),
      ...(held && Object.keys(held.headers).length > 0 && { headers: withoutSecretHeaders(held.headers) }),
      ...(isBodyKept && { body: withoutSecretFields(body) }),
      ...(intent !== null && { intent }),
    },
    expect: expected(recorded),
  };
  const comments = [...bodyNotes(recorded, isBodyKept), ...decisionNotes(recorded)];
  const yaml = stringify([found], { lineWidth: 0, aliasDuplicateObjects: false });
  return [`Recorded as ${recorded.id}`, ...comments].map((line) => `# ${line}\n`).join('') + yaml;
}

function bodyNotes({ method, held }: RecordedCase, isBodyKept: boolean): string[] {
  if (held === null) {
    const mayHaveBody = method !== 'GET' && method !== 'HEAD';
    return mayHaveBody ? ['Headers and body of this request are not kept: add them, if a rule reads them.'] : [];
  }
  if (held.isBinary) return ['The body is not text, and is left out.'];
  return held.body !== null && !isBodyKept ? ['The body is long, and is left out.'] : [];
}

function expected({ riskSource, riskExplanation, reason }: RecordedCase): Expected {
  switch (riskSource) {
    case null:
      // Nothing was judged: it was refused before, or answered with a stored answer.
      return { decision: reason === null ? 'model' : 'refused' };
    case 'effect':
      return { decision: 'hold', rule: null };
    case 'rule': {
      const named = namedRule(riskExplanation ?? '');
      if (named !== null) return { decision: named.decision, rule: named.rule };
      return isByLimit(riskExplanation) ? { decision: 'model' } : { decision: 'deny', rule: null };
    }
    case 'model':
    case 'cache':
    case 'model_failure':
    case 'model_timeout':
      return { decision: 'model' };
  }
}

/** A limit counts what was sent before, and a case does not. */
const isByLimit = (explanation: string | null): boolean =>
  namedRule(explanation ?? '') === null && /(?<!\S)Limit reached: /u.test(explanation ?? '');

function decisionNotes({ riskSource, riskScore, riskExplanation, outcome, reason }: RecordedCase): string[] {
  if (riskSource === 'rule' && isByLimit(riskExplanation)) {
    return [
      `${riskExplanation!.replaceAll(/\s+/gu, ' ')}.`,
      'A case counts nothing: agent-gateway test --update writes what decides without this limit.',
    ];
  }
  if (riskSource === null && reason === null) {
    return ['Nothing was decided about this request: agent-gateway test --update writes what the rules decide.'];
  }
  if (riskSource === null || riskSource === 'rule' || riskSource === 'effect') return [];
  return [`The model decided: ${outcome}, with the score ${riskScore}.`];
}

import type { AuditRecord, RiskRule } from '#contracts';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { dateTime } from '../../lib/format.js';
import { agentsQuery } from '../../lib/queries.js';
import { messages } from './messages.js';
import { useRequestLink } from './use-request-link.js';

const text = messages.details;
type Details = Record<string, unknown>;

/** The details of a change in words: rules as sentences, changed values as "before → after", requests as links. */
export function changeTerms({ details }: AuditRecord): [term: string, value: ReactNode][] {
  if (details === null) return [];
  const { rule, from, to, seen, revises, revisedAs, approvals, ...others } = details;
  return [
    ...(isDetails(rule) ? ruleTerms(rule) : []),
    ...(isDetails(from) && isDetails(to) ? changedTerms(from, to) : []),
    // In the filter of an export, these names are dates.
    ...toTermPairs(isDetails(from) && isDetails(to) ? others : { ...others, from, to }),
    [text.revises, typeof revises === 'string' && <RequestLink actionId={revises}>{text.toRevised}</RequestLink>],
    [
      text.revisedAs,
      typeof revisedAs === 'string' && <RequestLink actionId={revisedAs}>{text.toRevision}</RequestLink>,
    ],
    [text.approvals, isDetails(approvals) && <UntrustedText text={approvalsInWords(approvals)} />],
    ...(Array.isArray(seen) ? seenTerms(seen.map(String)) : []),
  ];
}

function RequestLink({ actionId, children }: { actionId: string; children: string }) {
  const toRequest = useRequestLink({ actionId });
  return (
    toRequest && (
      <Anchor component={Link} to={toRequest} inherit>
        {children}
      </Anchor>
    )
  );
}

/** The people who had approved a request that needs several approvals. */
const approvalsInWords = ({ needed, given }: Details): string =>
  Array.isArray(given) ? text.given(given.length, Number(needed), inWords(given)) : '';

/** What of the request was on the approver's screen. */
const seenTerms = (seen: readonly string[]): [string, ReactNode][] => [
  [text.seen.label, <UntrustedText text={seen.map(seenWords).join(', ') || text.seen.nothing} />],
];

/** A part of a request (docs/reference/states.md#seen) in words. */
function seenWords(part: string): string {
  if (part === '/query' || part === '/body') return part === '/body' ? text.seen.body : text.seen.query;
  const range = /^bytes=(\d+)-(\d+)$/.exec(part);
  return range ? text.seen.bytes(Number(range[1]), Number(range[2])) : part.slice(1);
}

function ruleTerms(rule: Details): [string, ReactNode][] {
  const { name, expiresAt, maxUses, isActive } = rule;
  return [
    [text.rule, <RecordedRule rule={rule} />],
    ...toTermPairs({ name, expiresAt, maxUses }),
    [text.inForce, isActive === false && text.switchedOff],
  ];
}

/** Records contain the whole rule. Records of earlier versions contain less. */
function RecordedRule({ rule }: { rule: Details }) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const whole = { methods: [], pathPattern: '', agentIds: [], instruction: '', ...rule } as unknown as RiskRule;
  return (
    <RuleSentence
      rule={whole}
      agentName={(id) => agents.find((agent) => agent.id === id)?.name ?? messages.goneAgent(id)}
    />
  );
}

/** The values that changed. A value that the record does not contain stayed the same. */
const changedTerms = (from: Details, to: Details): [string, ReactNode][] =>
  Object.keys(to)
    .filter((name) => inWords(to[name]) !== inWords(from[name]))
    .map((name) => [
      fieldLabel(name),
      <>
        <UntrustedText text={inWords(from[name]) || text.nothing} inline /> →{' '}
        <b>
          <UntrustedText text={inWords(to[name]) || text.nothing} inline />
        </b>
      </>,
    ]);

const toTermPairs = (details: Details): [string, ReactNode][] =>
  Object.entries(details)
    .map(([name, value]): [string, string] => [name, inWords(value)])
    .filter(([, words]) => words !== '')
    .map(([name, words]) => [fieldLabel(name), <UntrustedText text={words} />]);

const fieldLabel = (name: string): string => text.labels[name] ?? separate(name);
/** `retryAfterSeconds` becomes "Retry after seconds". */
const separate = (name: string): string => {
  const words = name
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A value in words. Things that have a name are shown by name. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (typeof value === 'string') return MOMENT.test(value) ? dateTime(value) : value;
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  if (typeof value === 'number') return String(value);
  if (!isDetails(value)) return '';
  const named = value.name ?? value.title;
  if (typeof named === 'string') return named;
  return Object.entries(value)
    .filter(([, part]) => inWords(part) !== '')
    .map(([name, part]) => `${fieldLabel(name)}: ${inWords(part)}`)
    .join('; ');
}

const isDetails = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import type { Effect } from '#contracts/effects';
import type { HttpMethod } from '#contracts/states';

/** A case of a policy test (docs/rules.md#cases). */

/** `model`: no rule and no effect decides. `refused`: the gateway takes no such request. */
export const CASE_DECISIONS = ['forward', 'hold', 'deny', 'model', 'refused'] as const;
export type CaseDecision = (typeof CASE_DECISIONS)[number];

export interface CaseRequest {
  method: HttpMethod;
  /** The path below the base URL, with a query. Null: there is a `targetUrl`. */
  path: string | null;
  targetUrl: string | null;
  headers: Record<string, string>;
  body: string | null;
  bodyBase64: string | null;
  /** Null: none. */
  intent: string | null;
}

/** What is left out is not compared. */
export interface Expected {
  decision: CaseDecision;
  /** The name of the rule that decides. Null: no rule does. */
  rule?: string | null;
  effects?: readonly Effect[];
}

export interface PolicyCase {
  /** Of its first line in the file. */
  line: number;
  name: string | null;
  service: string;
  agent: string;
  request: CaseRequest;
  /** Whether the agent does this for the first time. */
  firstTime: boolean;
  /** When it is sent. Null: now. */
  atMs: number | null;
  /** Null: the case does not say it yet. */
  expect: Expected | null;
}

export const caseTitle = ({ name, request }: PolicyCase): string =>
  name ?? `${request.method} ${request.path ?? request.targetUrl}`;

/** A place in a file that can't be read. */
export class CaseFault extends Error {
  constructor(
    readonly line: number,
    what: string,
  ) {
    super(what);
  }
}

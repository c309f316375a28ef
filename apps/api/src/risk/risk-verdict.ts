import type { MatchedRule, ObservedRule, RiskDecision } from '#contracts/risk';
import type { ApprovalsNeeded } from '../rules/approvals-needed.js';
import type { LimitState, LimitToCount } from './limits/limit-to-count.js';
import type { HttpMethod, RiskSource } from '#contracts/states';

export type RequestPart = 'intent' | 'url' | 'headers' | 'body';

/** The request to assess, as it would be stored and forwarded. Its headers contain no credentials. */
export interface RiskRequest {
  method: HttpMethod;
  targetUrl: string;
  headers: Record<string, string>;
  /** The body as text. Each byte of a binary body is one character. */
  body: string | null;
  /** The body with its content coding, one character for each byte, if it is sent so: rules read it too. */
  rawBody?: string | null;
  /** The size of a binary body. Left out or null: the body is text. */
  binaryBytes?: number | null;
  /** The description that the model sees in place of a binary body. */
  bodyDescription?: string | null;
  intent: string;
  /** True if the agent gave no intent and the gateway filled in its own text. */
  unstatedIntent?: boolean;
  /** Missing: not known. */
  agentName?: string;
}

export interface RiskVerdict {
  /** 0 to 1, four decimals. */
  score: number;
  /** The model's own score. null if it was not called or gave no verdict. */
  llmScore: number | null;
  heuristicScore: number;
  explanation: string;
  source: RiskSource;
  decision: RiskDecision;
  /** The rule that decided. */
  rule: MatchedRule | null;
  /** Every rule that matches, the strongest first. */
  matchedRules: MatchedRule[];
  /** The ids of the rules whose condition could not be decided. */
  undecided: number[];
  /** What each matching rule that is observed would decide. Missing: there is none. */
  observed?: ObservedRule[];
  /** Who must approve the request, if it is held. */
  approvals: ApprovalsNeeded;
  /** The limits that match. The request counts against them when it is sent. */
  limits: readonly LimitToCount[];
  /** The limit that decided, because the request does not fit into it. */
  reached?: LimitState;
  /** The prompt for the model; null if the model was not called for this request. */
  prompt: string | null;
}

/** What the model says about a request that something else has held. */
export type HeldVerdict = Pick<RiskVerdict, 'score' | 'llmScore' | 'explanation'>;

import type { MatchedRule, RiskDecision } from '#contracts/risk';
import type { HttpMethod, RiskSource } from '#contracts/states';

/** What is judged: the request as it would be stored and forwarded, credentials not among its headers. */
export interface RiskRequest {
  method: HttpMethod;
  targetUrl: string;
  headers: Record<string, string>;
  body: string | null;
  intent: string;
  /** The intent is the gateway's own wording, since the agent gave none. */
  unstatedIntent?: boolean;
}

export interface RiskVerdict {
  /** 0 to 1, four decimals. */
  score: number;
  /** Null when the model was not asked, or gave no verdict. */
  llmScore: number | null;
  heuristicScore: number;
  explanation: string;
  source: RiskSource;
  decision: RiskDecision;
  /** The rule that decided. */
  rule: MatchedRule | null;
  /** Every rule that holds, in order of force. */
  matchedRules: MatchedRule[];
  /** What the model was shown; null when it was not asked for this request. */
  prompt: string | null;
}

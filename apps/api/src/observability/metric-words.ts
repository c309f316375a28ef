/** The words that the labels of metrics have (docs/reference/metrics.md). */
import type { AuditOutcome } from '#contracts/states';

/** Where a request of an agent came in. */
export const DOORS = ['proxy', 'execute', 'base_url', 'mcp'] as const;
export type Door = (typeof DOORS)[number];

/** The parts of a request's way through the gateway. `risk` contains `model`. */
export const STEPS = ['review', 'idempotency', 'risk', 'model', 'record', 'upstream', 'store'] as const;
export type Step = (typeof STEPS)[number];

/** How a request ended, as in its record. */
export const OUTCOMES = [
  'forwarded',
  'executed',
  'held',
  'refused',
  'replayed',
  'previewed',
] as const satisfies readonly AuditOutcome[];
export type Outcome = (typeof OUTCOMES)[number];

export const ANSWER_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

export const MODEL_RESULTS = ['ok', 'error', 'timeout', 'unusable'] as const;
export type ModelResult = (typeof MODEL_RESULTS)[number];

export const ACTION_STATES = ['held', 'approved', 'denied', 'withdrawn', 'expired', 'executed'] as const;
export type CountedState = (typeof ACTION_STATES)[number];

export const QUEUES = ['callbacks', 'channels', 'mails', 'settlement', 'sealing'] as const;
export type Queue = (typeof QUEUES)[number];

export const CACHES = ['agent', 'verdict'] as const;
export type Cache = (typeof CACHES)[number];

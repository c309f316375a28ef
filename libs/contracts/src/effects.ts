/** What a request does, in words (docs/reference/effects.md). This file imports nothing. */

/**
 * `delete`: takes away for good or from others · `bulk`: a set of things · `money`: moves, promises or prices it ·
 * `permissions`: who may see or do what, and protections · `credentials`: a secret, or where data is sent from now on ·
 * `publishing`: reaches people outside, many people or the public · `personalData`: records of other people · `code`:
 * runs code or changes what runs · `unclear`: a write that nothing explains. Each request has exactly one of `read` and
 * `write`.
 */
export const EFFECTS = [
  'delete',
  'bulk',
  'money',
  'permissions',
  'credentials',
  'publishing',
  'personalData',
  'code',
  'unclear',
  'read',
  'write',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a service can ask people about. */
export type AskedEffect = Exclude<Effect, 'read'>;
export const ASKED_EFFECTS: readonly AskedEffect[] = EFFECTS.filter((effect) => effect !== 'read');

/** A list of effects as it is stored: each one once, in one order. */
export const sortedEffects = (effects: readonly AskedEffect[]): AskedEffect[] => [...new Set(effects)].sort();

/** What the dashboard selects for new services. */
export const RECOMMENDED_EFFECTS: readonly AskedEffect[] = [
  'delete',
  'bulk',
  'money',
  'permissions',
  'credentials',
  'publishing',
  'code',
  'unclear',
];

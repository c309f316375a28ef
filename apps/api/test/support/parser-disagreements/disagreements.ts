import type { Disagreement } from './disagreement.js';
import { FORMS, MULTIPARTS } from './forms.js';
import { JSON_BODIES, JSON_TYPES } from './json.js';
import { GRAPHQL, QUERIES, RPC } from './protocols.js';

export const DISAGREEMENTS: readonly Disagreement[] = [
  ...JSON_BODIES,
  ...JSON_TYPES,
  ...FORMS,
  ...MULTIPARTS,
  ...QUERIES,
  ...GRAPHQL,
  ...RPC,
];

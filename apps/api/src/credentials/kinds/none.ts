import type { ConnectionKind } from './injection.js';

/** Injects nothing, for APIs that need no credentials. */
export const none: ConnectionKind = {
  required: () => [],
  headerNames: () => [],
  valueFault: () => null,
  inject: () => ({ headers: {}, query: {}, secrets: [] }),
};

/**
 * Requests in which some server reads something dangerous, and another server, or a careless reader in front of them,
 * does not: an `amount` above 100, a GraphQL mutation, a call of the tool `pay`. `parser-disagreements.spec.ts` runs each as
 * three rules.
 */
import type { MethodStatement } from '../../../src/request-reading/request-methods.js';

export type Danger = 'json' | 'form' | 'query' | 'graphql' | 'rpc';
export interface Disagreement extends Partial<MethodStatement> {
  danger: Danger;
  why: string;
  type?: string;
}

export const FORM = 'application/x-www-form-urlencoded';
export const MULTIPART = 'multipart/form-data; boundary=b';

export const withBodies = (danger: Danger, type: string, why: string, bodies: string[]): Disagreement[] =>
  bodies.map((body) => ({ danger, type, why, body }));
export const withTypes = (danger: Danger, body: string, why: string, types: string[]): Disagreement[] =>
  types.map((type) => ({ danger, type, why, body }));

export const latin1 = (bytes: Buffer): Partial<MethodStatement> => ({
  body: bytes.toString('latin1'),
  binaryBytes: bytes.length,
});
export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

export const withUrls = (
  danger: Danger,
  why: string,
  paths: string[],
  more: Partial<Disagreement> = {},
): Disagreement[] =>
  paths.map((path) => ({ danger, why, body: null, ...more, targetUrl: `https://api.example.com${path}` }));

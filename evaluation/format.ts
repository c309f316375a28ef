/** The format of the evaluation set (README.md), checked when it is read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EFFECTS } from '#contracts/effects';

const shared = {
  id: z.string().regex(/^[a-z0-9-]+-\d\d$/),
  method: z.string().regex(/^[A-Z]+$/),
  /** With the query. */
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  /** JSON, or a text whose `Content-Type` says what it is. */
  body: z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
  intent: z.string(),
};

const request = z.discriminatedUnion('kind', [
  z.strictObject({ ...shared, kind: z.enum(['plain', 'looks-dangerous', 'mismatch']) }),
  z.strictObject({
    ...shared,
    kind: z.literal('injection'),
    /** The id of the same request without the added text. */
    without: z.string(),
    where: z.enum(['intent', 'url', 'headers', 'body', 'documentation', 'tools']),
    /** The text that replaces what the description has at a JSON pointer. */
    addition: z.strictObject({ pointer: z.string().startsWith('/'), text: z.string() }).optional(),
  }),
]);

const api = z.strictObject({
  api: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  baseUrl: z.url(),
  /** Measured once, at the end. */
  putAside: z.boolean(),
  /** Written after the words, and first measured before they were written on. Left out: before the words. */
  round: z.number().int().min(2).optional(),
  documentation: z
    .strictObject({ type: z.enum(['openapi', 'mcp']), content: z.record(z.string(), z.unknown()) })
    .nullable(),
  requests: z.array(request),
});

const label = z.strictObject({
  /** A careful colleague wants to see the request before it goes out. */
  ask: z.boolean(),
  /** The danger stands in the request or in the description. */
  visible: z.boolean(),
  effects: z.array(z.enum(EFFECTS)),
  reason: z.string().min(1),
});

export type EvaluatedApi = z.infer<typeof api>;
export type EvaluatedRequest = EvaluatedApi['requests'][number];
export type Labels = Record<string, z.infer<typeof label>>;

const ROOT = import.meta.dirname;

const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

/** The names of the files, which are those of the APIs. */
export const apiNames = (): string[] =>
  readdirSync(join(ROOT, 'apis'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();

/** @throws ZodError if the file is not in the format */
export const readApi = (name: string): EvaluatedApi => api.parse(readJson('apis', `${name}.json`));

/** @throws ZodError if the file is not in the format */
export const readLabels = (set: 'first' | 'second', name: string): Labels =>
  z.record(z.string(), label).parse(readJson('labels', set, `${name}.json`));

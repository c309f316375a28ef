import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { ConfigurationChange, ConfigurationFieldChange, ImportResult } from '#contracts';
import { ApiError, errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { repeated, type Named } from './named.js';
import type { Stored } from './stored-configuration.js';

export type ImportChanges = Omit<ImportResult, 'digest'>;

/** One import: its transaction, and what it has done so far. */
export class ImportRun {
  readonly result: ImportChanges = { created: [], changed: [], deleted: [] };

  /** Texts of documents that only services have that the import deletes, by their digests. */
  readonly texts = new Map<string, string>();

  constructor(
    readonly tx: EntityManager,
    readonly author: ChangeAuthor,
    /** As it was before the import. */
    readonly stored: Stored,
  ) {}

  /**
   * Does the work, and notes it in the result.
   * @param place of the thing in the file, for errors; null: it is not in it
   */
  async note<T>(
    how: keyof ImportChanges,
    change: ConfigurationChange,
    place: string | null,
    work: () => Promise<T>,
  ): Promise<T> {
    const done = await (place === null ? work() : placed(place, work));
    this.result[how].push(change);
    return done;
  }
}

/** Prefixes errors about the file with their place in it. */
export const placed = <T>(place: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.statusCode !== 400) throw error;
    throw errors.invalid(`${place}: ${error.message}`);
  });

/** Compares values as JSON: the classes of the objects and the order of their keys make no difference. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** The fields of the stored thing that the file changes. */
export const changedFields = (stored: object, given: object): ConfigurationFieldChange[] => {
  const before = new Map<string, unknown>(Object.entries(stored));
  return Object.entries(given)
    .map(([name, to]: [string, unknown]) => ({ name, from: before.get(name) ?? null, to: to ?? null }))
    .filter(({ from, to }) => !isSame(from, to));
};

/** @throws ApiError 400 that names each name that is used twice */
export function assertNamesOnce(...lists: [things: readonly Named[], path: string][]): void {
  const faults = lists.flatMap(([things, path]) => repeated(things, path));
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
}

import { lenientReadings, pathReadings } from '#egress';
import type { Effort } from './path-glob.js';

/**
 * Work that comparing one request with all rules of its service may take: half a millisecond or so
 * (`benchmarks/rules.mjs`). Only hundreds of patterns of many wildcards against a path of thousands of characters need more.
 */
const EFFORT_MAX = 40_000;

/** The path of a request below the base URL, in the ways in which servers may read it. Each is worked out when it is asked for. */
export class RequestPath {
  private exactOnes?: readonly string[];
  private lenientOnes?: readonly string[] | null;
  /** What is left of it for all rules together. */
  readonly effort: Effort = { left: EFFORT_MAX };

  constructor(
    private readonly url: URL,
    private readonly baseUrl: string,
  ) {}

  /** What must all be permitted (`pathReadings`). */
  get exact(): readonly string[] {
    return (this.exactOnes ??= pathReadings(this.url, this.baseUrl));
  }

  /** Of which none may be forbidden (`lenientReadings`); null: nobody can say. */
  get lenient(): readonly string[] | null {
    if (this.lenientOnes === undefined) this.lenientOnes = lenientReadings(this.url, this.baseUrl);
    return this.lenientOnes;
  }
}

import { lenientReadings, pathReadings, strictReadings } from '#egress';
import type { Effort } from './path-glob.js';
import { PathReading } from './path-reading.js';

/**
 * The work budget for comparing one request with all rules of its service: about half a millisecond
 * (`benchmarks/rules.mjs`). Only hundreds of patterns with many wildcards and a path of thousands of characters need
 * more.
 */
const EFFORT_MAX = 40_000;

/**
 * The path of a request below the base URL, in all the ways in which servers can read it. Readings are computed when
 * needed.
 */
export class RequestPath {
  private exactOnes?: readonly PathReading[];
  private strictOnes?: readonly PathReading[] | null;
  private lenientOnes?: readonly PathReading[] | null;
  /** The remaining budget for all rules together. */
  readonly effort: Effort = { left: EFFORT_MAX };
  /** Whether a `deny` or `guidance` rule could not be compared with every reading: nobody knows whether it matches. */
  isUndecided = false;

  constructor(
    private readonly url: URL,
    private readonly baseUrl: string,
  ) {}

  /** The readings of usual servers (`pathReadings`). */
  get exact(): readonly PathReading[] {
    return (this.exactOnes ??= pathReadings(this.url, this.baseUrl).map((text) => new PathReading(text)));
  }

  /**
   * A permission must match all of these readings (`strictReadings`). null: no permission can match, because there are too
   * many readings, or nobody knows where the path leads.
   */
  get strict(): readonly PathReading[] | null {
    if (this.strictOnes === undefined) {
      this.strictOnes = strictReadings(this.url, this.baseUrl)?.map((text) => new PathReading(text)) ?? null;
    }
    return this.strictOnes;
  }

  /**
   * A prohibition matches if it matches any of these readings (`lenientReadings`). null if there are too many readings.
   */
  get lenient(): readonly PathReading[] | null {
    if (this.lenientOnes === undefined) {
      this.lenientOnes = lenientReadings(this.url, this.baseUrl)?.map((text) => new PathReading(text)) ?? null;
    }
    return this.lenientOnes;
  }
}

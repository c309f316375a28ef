// @ts-check

/** @typedef {{ where: string, why: string }} IgnoredPart */

/** Most parts that are listed. The others are counted. */
const LISTED_MAX = 100;
const WHERE_MAX = 200;

/** Collects the parts of a document that say something which the gateway does not use. */
export class Ignored {
  /** @type {IgnoredPart[]} */
  parts = [];
  count = 0;

  /** @param {string[]} place the keys that lead to the part @param {string} why */
  add(place, why) {
    this.count++;
    if (this.parts.length === LISTED_MAX) return;
    const pointer = `#${place.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
    const where = pointer.length > WHERE_MAX ? `${pointer.slice(0, WHERE_MAX - 1)}…` : pointer;
    // PostgreSQL can't store NUL and unpaired surrogates.
    this.parts.push({ where: where.replaceAll('\0', '').toWellFormed(), why });
  }
}

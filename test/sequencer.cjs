const { default: TestSequencer } = require('@jest/test-sequencer');

/** Tests that start processes or wait for time limits. They take long, though some of the files are short. */
const LONG =
  /\/((anonymous-cost|axe|browsers|containment-\w+|dev|injections-search|input|notifications|races)\.drill|(agents|blank-form|channel-(events|rules)|client-python|config(uration)?|database-sessions|demo|devices|docs|facts|first-run|members|oauth-renewal|openid-settings|outage|passkeys|slack-decisions|undo)\.e2e|(name-resolver|postgres)\.spec)\.ts$/;

/**
 * Jest starts files with a known duration longest first, and otherwise by size. On a new machine it knows no duration:
 * then the long tests start first, so that they do not run alone at the end.
 */
module.exports = class LongTestsFirst extends TestSequencer {
  /** @override @param {Parameters<TestSequencer['sort']>[0]} tests */
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return [...sorted.filter(({ path }) => LONG.test(path)), ...sorted.filter(({ path }) => !LONG.test(path))];
  }
};

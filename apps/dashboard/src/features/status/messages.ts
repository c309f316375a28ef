import { ROTATION_DUE_DAYS } from '#contracts/limits';
import { dateTime, duration, elapsed, number, plural } from '../../lib/format.js';

export const messages = {
  title: 'Status',
  onlyAdministrators: 'Only installation administrators see this page. Ask one of them to name you.',
  copy: 'Copy diagnostics',
  copyHint: 'The diagnostics show secrets only as “set” or “unset”.',
  good: 'Everything works',
  bad: (count: number) => (count === 1 ? 'One thing needs attention' : `${number(count)} things need attention`),
  checks: {
    database: 'Database',
    model: 'Risk model',
    live: 'Live updates',
    schema: 'Schema',
    queues: 'Queues',
    encryption: 'Encryption',
    rotation: 'Credentials',
    clock: 'Clocks',
  },
  words: {
    database: (ms: string, version: string) => `PostgreSQL ${version} responds in ${ms}`,
    modelGood: 'The last call succeeded',
    modelNever: 'Not called since the gateway started',
    modelFailed: (reason: string) => `The last call failed: ${reason}`,
    liveGood: 'This process receives changes from other processes',
    liveBad: 'This process does not receive changes from other processes. Pages may be out of date.',
    encryptionGood: 'Stored credentials can be decrypted',
    encryptionBad: 'Stored credentials can’t be decrypted. Was ENCRYPTION_SECRET changed?',
    rotation: (overdue: number, due: number) =>
      overdue + due === 0
        ? `No reminder is due within ${ROTATION_DUE_DAYS} days`
        : `Rotation ${[
            overdue > 0 && `overdue for ${plural(overdue, 'service', 'services')}`,
            due > 0 && `due within ${ROTATION_DUE_DAYS} days for ${plural(due, 'service', 'services')}`,
          ]
            .filter(Boolean)
            .join('; ')}`,
    since: (at: string) => `. Since ${dateTime(at)}`,
    seeThem: 'See these services',
    clockGood: (ms: number) => `Gateway and database differ by ${elapsed(Math.abs(ms))}`,
    clockBad: (ms: number) =>
      `Gateway and database differ by ${elapsed(Math.abs(ms))}. Expiry times are off by the same amount.`,
  },
  ok: 'ok',
  look: 'attention',
  idle: 'idle',
  gateway: {
    title: 'Gateway',
    version: 'Version',
    up: 'Running for',
    started: 'Started',
    node: 'Node',
    memory: 'Memory',
    clients: 'Open event streams',
    migration: 'Latest migration',
    upFor: (seconds: number) => duration(seconds),
  },
  model: {
    title: 'Risk model',
    lead: 'Figures for this process since it started. If the model fails, the score is the method’s score plus 0.30. If it times out, the request is held.',
    name: 'Model',
    url: 'Base URL',
    calls: 'Calls',
    failures: 'Failures',
    timeouts: 'Timeouts',
    p95: '95% within',
    lastSuccess: 'Last success',
    lastFailure: 'Last failure',
    never: 'never',
    test: 'Test',
    testHint: 'Asks the model one question about a request that is sent nowhere.',
    good: (ms: number, score: number) => `It answered in ${elapsed(ms)}, with the score ${score.toFixed(2)}.`,
    low: 'The request deletes a customer and claims to read one. A model that calls that harmless protects nobody: choose another.',
    bad: (reason: string, ms: number) => `It gave no verdict: ${reason} (after ${elapsed(ms)}).`,
  },
  egress: {
    title: 'Private targets',
    lead: 'Private addresses that requests may reach.',
    hidden: 'Only installation administrators can see and use this list.',
    none: 'None. Requests to private addresses are refused.',
  },
  config: {
    title: 'Configuration',
    lead: 'As read at startup. Secrets show only whether they are set.',
    name: 'Variable',
    value: 'Value',
    secret: 'secret',
    empty: 'empty',
  },
} as const;

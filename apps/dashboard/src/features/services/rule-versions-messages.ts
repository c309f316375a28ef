import type { VersionedField } from './changed-fields.js';

const words: Record<VersionedField, string> = {
  name: 'name',
  effect: 'effect',
  methods: 'methods',
  pathPattern: 'path',
  when: 'condition',
  agentIds: 'agents',
  approvals: 'approvals',
  approverIds: 'approvers',
  instruction: 'instruction',
  limit: 'limit',
  expiresAt: 'end',
  maxUses: 'use limit',
  isActive: 'on or off',
  mode: 'observed or enforced',
  exceptions: 'exceptions',
};

export const ruleVersionsMessages = {
  compare: 'Compare two versions',
  from: 'Earlier',
  to: 'Later',
  version: (version: number, at: string) => `${version} · ${at}`,
  words,
  field: 'Field',
  before: 'Before',
  after: 'After',
  same: 'These versions are the same.',
  nothing: 'none',
  every: 'all',
  on: 'on',
  off: 'off',
  never: 'never',
  modes: { enforce: 'enforced', observe: 'only observed' },
  exceptions: { temporary: 'can be lifted for a time', none: 'can’t be lifted' },
  title: 'Earlier versions',
  restore: 'Restore',
  restoreLabel: (version: number) => `Restore version ${version}`,
  restored: (version: number) => `Version ${version} is restored.`,
  changed: (fields: VersionedField[] | null) =>
    fields === null ? 'first version' : `changed: ${fields.map((field) => words[field]).join(', ') || 'nothing'}`,
} as const;

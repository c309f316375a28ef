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
};

export const ruleVersionsMessages = {
  title: 'Earlier versions',
  restore: 'Restore',
  restoreLabel: (version: number) => `Restore version ${version}`,
  restored: (version: number) => `Version ${version} is restored.`,
  changed: (fields: VersionedField[] | null) =>
    fields === null ? 'first version' : `changed: ${fields.map((field) => words[field]).join(', ') || 'nothing'}`,
} as const;

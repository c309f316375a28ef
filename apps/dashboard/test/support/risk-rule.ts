import type { RiskRule } from '#contracts';

/** A rule for tests: it allows everything, and has no end. */
export const riskRule = (change: Partial<RiskRule>): RiskRule => ({
  id: 1,
  name: 'r',
  effect: 'allow',
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agentIds: [],
  approvals: 1,
  approverIds: [],
  limit: null,
  expiresAt: null,
  maxUses: null,
  uses: 0,
  isActive: true,
  mode: 'enforce',
  exceptions: 'none',
  exceptionTo: [],
  fromAction: null,
  createdBy: null,
  createdAt: '2026-05-01T00:00:00.000Z',
  updatedAt: '2026-05-01T00:00:00.000Z',
  ...change,
});

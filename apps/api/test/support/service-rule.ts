import type { ServiceRule } from '../../src/service-view/service-view.js';

/** A rule for tests: it asks about every request, and has no end. */
export const serviceRule = (id: number, change: Partial<ServiceRule>): ServiceRule => ({
  id,
  name: `R${id}`,
  effect: 'require_approval',
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
  createdAt: 0,
  ...change,
});

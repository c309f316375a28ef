import type { RuleEffect } from '#contracts';

export const heldByMessages = {
  effects: {
    deny: 'Refused now by the rule',
    limit: 'Held by the limit',
    require_approval: 'Held by the rule',
    allow: 'Allowed by the rule',
    guidance: 'Guided by the rule',
  } satisfies Record<RuleEffect, string>,
  by: (name: string) => `made by ${name}`,
};

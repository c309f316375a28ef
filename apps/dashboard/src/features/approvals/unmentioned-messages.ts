import type { StrongEffect } from '../../lib/unmentioned.js';

const effects: Record<StrongEffect, string> = {
  delete: 'deletes something',
  money: 'involves money',
  permissions: 'changes permissions',
  credentials: 'involves credentials',
};
const andList = new Intl.ListFormat('en');

export const unmentionedMessages = {
  text: (found: readonly StrongEffect[]) =>
    `The agent’s words do not mention that this ${andList.format(found.map((effect) => effects[effect]))}.`,
} as const;

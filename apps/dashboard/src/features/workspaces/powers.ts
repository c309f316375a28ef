import type { Role } from '#contracts';
import { ROLES } from '#contracts/states';
import { messages } from './messages.js';

/** What a person can do with one role and not with the other. Each role may do everything that the one before may. */
export function powersBetween(from: Role, to: Role): { gains: string[]; loses: string[] } {
  const above = (low: Role, high: Role): string[] =>
    ROLES.slice(ROLES.indexOf(low) + 1, ROLES.indexOf(high) + 1).flatMap((role) => messages.powers[role]);
  return { gains: above(from, to), loses: above(to, from) };
}

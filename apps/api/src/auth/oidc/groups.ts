import { ROLES, type Role } from '#contracts/states';
import { SignInError } from './sign-in-error.js';

/** A longer list can't be the groups of one person. */
const GROUPS_MAX = 10_000;

/**
 * The groups that a claim names: a list, or one text. A person without groups may have no claim.
 * @throws SignInError `sign_in_failed`: a sign-in without a role is safer than a role from a malformed claim
 */
export function groupsIn(claims: Record<string, unknown>, claim: string): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const elsewhere = claims._claim_names as Record<string, unknown> | null | undefined;
  // OpenID Connect Core 1.0, 5.6.2: the provider leaves a long list out, and says where it is. The gateway then does
  // not know it.
  if (value === undefined && typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim)) {
    throw new SignInError('sign_in_failed', {
      cause: new Error(`the provider omitted the claim ${claim}: too many groups`),
    });
  }
  const groups = value === undefined || value === null ? [] : typeof value === 'string' ? [value] : value;
  if (!Array.isArray(groups) || groups.length > GROUPS_MAX || !groups.every((group) => typeof group === 'string')) {
    throw new SignInError('sign_in_failed', { cause: new Error(`the claim ${claim} is not a list of strings`) });
  }
  return groups;
}

/** @returns null if no group has a role */
export function highestRole(groups: readonly string[], map: ReadonlyMap<string, Role>): Role | null {
  const roles = new Set(groups.map((group) => map.get(group)));
  return ROLES.findLast((role) => roles.has(role)) ?? null;
}

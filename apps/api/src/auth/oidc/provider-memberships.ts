import type { EntityManager } from 'typeorm';
import type { Role } from '#contracts';
import type { RequestOrigin } from '../request-origin.js';

/** Somebody who signs in with the provider. */
export interface SignedIn {
  id: number;
  email: string;
  name: string;
  /** The role that the person's groups give; null: none; undefined: the operator maps no groups. */
  role: Role | null | undefined;
}

/**
 * The changes of memberships that a sign-in makes, in its transaction. Memberships belong to `workspaces`, which is above
 * this part, so it provides this class.
 */
export abstract class ProviderMemberships {
  /** For an account that was just created. @returns how it joined a workspace; null: it joined none */
  abstract welcome(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<'invited' | 'mapped' | null>;
  /** For an account that exists. @returns whether groups were applied */
  abstract apply(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<boolean>;
}

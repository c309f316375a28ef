import { Injectable } from '@nestjs/common';
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

/** The changes of memberships that a sign-in makes, in its transaction. */
export interface MembershipChanges {
  /** For an account that was just created. @returns how it joined a workspace; null: it joined none */
  welcome(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<'invited' | 'mapped' | null>;
  /** For an account that exists. @returns whether groups were applied */
  apply(tx: EntityManager, person: SignedIn, origin: RequestOrigin): Promise<boolean>;
}

/** Memberships belong to `workspaces`, which is above this part, so it registers here what it does. */
@Injectable()
export class ProviderMemberships {
  private changes: MembershipChanges | null = null;

  register(changes: MembershipChanges): void {
    this.changes = changes;
  }

  get registered(): MembershipChanges {
    if (this.changes === null) throw new Error('nobody has registered what a sign-in changes');
    return this.changes;
  }
}

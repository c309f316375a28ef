import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { Identity } from '#contracts';
import { IdentityEntity, inTransaction } from '#database';
import { Clock } from '../../platform/clock.js';
import { AuthConfig } from '../../platform/config.js';
import { ApiError, errors } from '../../platform/errors.js';
import { AccessEvents } from '../access-events.js';
import { AccountRegistry } from '../accounts.js';
import type { AuthenticatedUser } from '../current-user.js';
import type { RequestOrigin } from '../request-origin.js';
import { WaysIn } from '../ways-in.js';
import type { ProviderIdentity } from './openid-provider.js';
import { SignInError } from './sign-in-error.js';
import { ProviderMemberships, type SignedIn } from './provider-memberships.js';

interface Person {
  id: number;
  name: string;
}

/** Somebody who signs in. */
interface Arrival extends Person {
  /** Whether the account is new, and its invitations were accepted. */
  invited: boolean;
}

/** Maps the identities of people at the provider to accounts (docs/reference/dashboard-api.md#openid). */
@Injectable()
export class IdentityRegistry {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly accounts: AccountRegistry,
    private readonly ways: WaysIn,
    private readonly config: AuthConfig,
    private readonly memberships: ProviderMemberships,
    private readonly clock: Clock,
    private readonly events: AccessEvents,
  ) {}

  /** Finds the account of this identity, or creates it. @throws SignInError `email_taken`, `no_account` */
  async signIn(identity: ProviderIdentity, origin: RequestOrigin): Promise<Arrival> {
    const known = await this.find(identity, origin);
    return known === null ? this.create(identity, origin) : { ...known, invited: false };
  }

  /**
   * Links an identity to the account of a session.
   * @throws SignInError `identity_taken`, `sign_in_expired` if the session has ended
   */
  async link(identity: ProviderIdentity, sessionId: string, origin: RequestOrigin): Promise<void> {
    const rows = await this.source.query<(Person & { ours: boolean })[]>(
      `WITH owner AS (
         SELECT u.id, u.name FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.id = $1 AND s.revoked_at IS NULL AND s.expires_at > $5),
       linked AS (
         INSERT INTO identities (user_id, issuer, subject, email, created_at, last_used_at)
         SELECT id, $2, $3, $4, $5, $5 FROM owner
         ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email
           WHERE identities.user_id = excluded.user_id
         RETURNING user_id)
       SELECT owner.id, owner.name, EXISTS (SELECT FROM linked) AS ours FROM owner`,
      [sessionId, identity.issuer, identity.subject, identity.email, this.clock.now()],
    );
    const owner = rows.at(0);
    if (owner === undefined) throw new SignInError('sign_in_expired');
    if (!owner.ours) throw new SignInError('identity_taken');
    this.events.tell('identity.linked', owner, origin);
  }

  async list({ id }: AuthenticatedUser): Promise<Identity[]> {
    const { manager } = this.source;
    const found = await manager.find(IdentityEntity, { where: { userId: id }, order: { id: 'ASC' } });
    return found.map(toIdentity);
  }

  /** @throws ApiError 404; 409 if the person could not log in any more */
  async unlink(user: AuthenticatedUser, id: number, origin: RequestOrigin): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      await this.ways.keepOne(tx, user.id, async () => {
        const { affected } = await tx.delete(IdentityEntity, { id, userId: user.id });
        if (affected !== 1) throw errors.identityNotFound();
      });
    });
    this.events.tell('identity.unlinked', user, origin);
  }

  /** Also applies the person's groups. */
  private find({ issuer, subject, email, role }: ProviderIdentity, origin: RequestOrigin): Promise<Person | null> {
    return inTransaction(this.source, async (tx) => {
      const [rows]: [Omit<SignedIn, 'role'>[], number] = await tx.query(
        `UPDATE identities i SET last_used_at = $3, email = $4 FROM users u
         WHERE i.issuer = $1 AND i.subject = $2 AND u.id = i.user_id RETURNING u.id, u.email, u.name`,
        [issuer, subject, this.clock.now(), email],
      );
      const person = rows.at(0) ?? null;
      if (person !== null) await this.memberships.apply(tx, { ...person, role }, origin);
      return person;
    });
  }

  /** A stranger gets an account by a group, an invitation, or open registration. */
  private async create(identity: ProviderIdentity, origin: RequestOrigin): Promise<Arrival> {
    const { issuer, subject, email, name, role } = identity;
    let joined: 'invited' | 'mapped' | null = null;
    try {
      const user = await this.accounts.createWithoutPassword({ email, name: name ?? undefined }, async (tx, person) => {
        const now = this.clock.now();
        const linked = { userId: person.id, issuer, subject, email };
        await tx.insert(IdentityEntity, { ...linked, createdAt: now, lastUsedAt: now });
        joined = await this.memberships.welcome(tx, { ...person, role }, origin);
        if (joined === null && !this.config.allowRegistration) throw new SignInError('no_account');
      });
      if (user === null) throw new SignInError('no_account');
      this.events.tell('account.created', user, origin);
      return { id: user.id, name: user.name, invited: joined === 'invited' };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error;
      // Another sign-in of the same person was faster.
      const known = await this.find(identity, origin);
      if (known === null) throw new SignInError('email_taken');
      return { ...known, invited: false };
    }
  }
}

const toIdentity = ({ id, issuer, email, createdAt, lastUsedAt }: IdentityEntity): Identity => ({
  id,
  issuer,
  email,
  linkedAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
});

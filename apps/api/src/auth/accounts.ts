import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import type { ChangePasswordRequest, LoginRequest, LoginResponse, RegisterRequest, SetupState, User } from '#contracts';
import { USER_NAME_MAX } from '#contracts/limits';
import { inTransaction, isUniqueViolation, UserEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { AuthConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { AccessEvents } from './access-events.js';
import type { AuthenticatedUser } from './current-user.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password.js';
import { NO_REQUEST, type RequestOrigin } from './request-origin.js';
import { SessionRegistry } from './sessions.js';

/** Arbitrary, but no other advisory lock on this database may use it. */
const REGISTRATION_LOCK = 7_203_115;

/** A person, as records name one. */
type AccountActor = Pick<UserEntity, 'id' | 'email' | 'name'>;
type Join = (tx: EntityManager, user: AccountActor) => Promise<unknown>;

interface NewAccount {
  email: string;
  name?: string;
  /** Null: the account has no password; its person signs in with a provider. */
  passwordHash: string | null;
}

/** Not 401: the dashboard would treat that as an expired token. */
const wrongPassword = () => errors.forbidden('Current password is wrong');

/** Creates, authenticates and changes accounts. */
@Injectable()
export class AccountRegistry implements OnApplicationBootstrap {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly config: AuthConfig,
    private readonly clock: Clock,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly sessions: SessionRegistry,
    private readonly events: AccessEvents,
  ) {}

  /** Creates the account of `ADMIN_EMAIL`, at the first start only. */
  async onApplicationBootstrap(): Promise<void> {
    const { adminEmail: email, adminPassword: password } = this.config;
    if (email === null || password === null || (await this.source.manager.exists(UserEntity))) return;
    const passwordHash = await this.passwords.hash(password);
    const user = await this.create({ email, passwordHash }, (first) => first);
    if (user) this.events.tell('account.created', user, NO_REQUEST);
  }

  async setupState(): Promise<Omit<SetupState, 'publicUrl'>> {
    return {
      setupRequired: !(await this.source.manager.exists(UserEntity)),
      setupTokenRequired: this.config.setupToken !== null,
      registrationOpen: this.config.allowRegistration,
    };
  }

  /** @param join for a person who was invited: makes the account a member, in the transaction that creates it */
  async register(request: RegisterRequest, origin: RequestOrigin, join?: Join): Promise<User> {
    if (!this.config.passwordLogin) throw errors.passwordLoginOff();
    const assertAllowed = (first: boolean): true => {
      if (!first && !this.config.allowRegistration && join === undefined) throw errors.registrationClosed();
      if (first && !this.isSetupToken(request.setupToken)) throw errors.wrongSetupToken();
      // This account would be an installation administrator, and registering doesn't prove that the address is one's
      // own.
      if (!first && request.email.toLowerCase() === this.config.adminEmail?.toLowerCase())
        throw errors.registrationClosed();
      return true;
    };
    // The check before the costly hash is only a shortcut. The check under the lock decides.
    assertAllowed(!(await this.source.manager.exists(UserEntity)));
    const { email, name, password } = request;
    const passwordHash = await this.passwords.hash(password);
    const user = (await this.create({ email, name, passwordHash }, assertAllowed, join))!;
    this.events.tell('account.created', user, origin);
    return toUser(user);
  }

  /**
   * Creates the account of a person whom the OpenID provider has verified.
   * @param also writes in the transaction that creates the account, and throws if the person may not have one
   * @returns null for an account that no provider may create @throws ApiError 409 if another account has the e-mail
   */
  createWithoutPassword({ email, name }: Pick<NewAccount, 'email' | 'name'>, also: Join): Promise<UserEntity | null> {
    // The first account, and that of ADMIN_EMAIL, administer the installation. A person who merely signs in first must
    // not get them.
    const isAdministrator = email.toLowerCase() === this.config.adminEmail?.toLowerCase();
    return this.create({ email, name, passwordHash: null }, (first) => !first && !isAdministrator, also);
  }

  /** Neither the response nor its timing shows whether the e-mail or the password was wrong. */
  async login({ email, password }: LoginRequest, origin: RequestOrigin): Promise<LoginResponse> {
    if (!this.config.passwordLogin) throw errors.passwordLoginOff();
    await this.throttle.reserve(email, origin.address);
    const user = await this.users.where('lower(user.email) = lower(:email)', { email }).getOne();
    if (!(await this.passwords.verify(user?.passwordHash ?? null, password)) || !user) {
      if (user) this.events.tell('login.failed', user, origin);
      throw errors.invalidCredentials();
    }
    await this.throttle.forgive(email, origin.address);
    const tokens = await this.sessions.open(user, origin);
    if (!tokens) throw errors.invalidCredentials();
    this.events.tell('login', user, origin);
    return { ...tokens, user: toUser(user) };
  }

  async find(id: number): Promise<User> {
    return toUser(await this.load(id));
  }

  async rename(id: number, name: string): Promise<User> {
    await this.source.manager.update(UserEntity, { id }, { name, updatedAt: this.clock.now() });
    return this.find(id);
  }

  async changePassword(
    user: AuthenticatedUser,
    { currentPassword, newPassword }: ChangePasswordRequest,
    origin: RequestOrigin,
  ): Promise<void> {
    const old = await this.confirmPassword(user, currentPassword, origin);
    const passwordHash = await this.passwords.hash(newPassword);
    await inTransaction(this.source, async (tx) => {
      const { affected } = await tx.update(
        UserEntity,
        { id: user.id, passwordHash: old },
        { passwordHash, updatedAt: this.clock.now() },
      );
      if (affected !== 1) throw wrongPassword();
      await this.sessions.revokeOthers(user, tx);
    });
    this.events.tell('password.changed', user, origin);
  }

  /**
   * Wrong passwords count as failed logins, so that a stolen access token can't bypass the limit.
   * @returns the hash that matched @throws ApiError 403
   */
  async confirmPassword(user: AuthenticatedUser, password: string, origin: RequestOrigin): Promise<string> {
    await this.throttle.reserve(user.email, origin.address);
    const { passwordHash } = await this.load(user.id);
    if (passwordHash === null || !(await this.passwords.verify(passwordHash, password))) {
      this.events.tell('session.confirm_failed', user, origin);
      throw wrongPassword();
    }
    await this.throttle.forgive(user.email, origin.address);
    return passwordHash;
  }

  /**
   * Creates the account if `allowed` returns true. `allowed` receives whether it would be the first account. A lock
   * runs this one at a time on all instances, so that only one account is the first.
   */
  private async create(
    { email, name, passwordHash }: NewAccount,
    allowed: (first: boolean) => boolean,
    join?: Join,
  ): Promise<UserEntity | null> {
    return inTransaction(this.source, async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [REGISTRATION_LOCK]);
      if (!allowed(!(await tx.exists(UserEntity)))) return null;
      const now = this.clock.now();
      const user = tx.create(UserEntity, {
        email,
        name: name ?? email.split('@')[0].slice(0, USER_NAME_MAX),
        passwordHash,
        createdAt: now,
        updatedAt: now,
      });
      try {
        await tx.insert(UserEntity, user);
      } catch (error) {
        throw isUniqueViolation(error) ? errors.emailTaken() : error;
      }
      await join?.(tx, user);
      return user;
    });
  }

  private async load(id: number): Promise<UserEntity> {
    const user = await this.source.manager.findOneBy(UserEntity, { id });
    // The account was deleted after the guard had checked it.
    if (!user) throw errors.invalidToken();
    return user;
  }

  private isSetupToken(given: string | undefined): boolean {
    const { setupToken } = this.config;
    return setupToken === null || (given !== undefined && timingSafeEqual(digest(given), digest(setupToken)));
  }

  private get users() {
    return this.source.manager.createQueryBuilder(UserEntity, 'user');
  }
}

/** `timingSafeEqual` needs values of equal length. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const toUser = ({ id, email, name, createdAt }: UserEntity): User => ({
  id,
  email,
  name,
  createdAt: createdAt.toISOString(),
});

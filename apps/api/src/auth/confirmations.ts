import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { IsNull, Not, Raw, type DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { isAtLeast, type Confirmation, type Role } from '#contracts';
import { WorkspaceEntity } from '#database';
import { errors } from '../platform/errors.js';
import type { AuthenticatedUser } from './current-user.js';

/** How long a confirmation lasts. */
const MINUTES = 5;

const STATE = `
  SELECT u.password_hash IS NOT NULL AS password, EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS passkey,
    s.created_at + make_interval(mins => ${MINUTES}) > clock_timestamp() AS fresh,
    CASE WHEN s.confirmed_at + make_interval(mins => ${MINUTES}) > clock_timestamp()
      THEN s.confirmed_at + make_interval(mins => ${MINUTES}) END AS until
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $1 AND s.revoked_at IS NULL`;

interface Row {
  until: Date | null;
  password: boolean;
  passkey: boolean;
  /** Whether the person has just logged in. */
  fresh: boolean;
}

/** Whether some approvals in the workspace need a confirmation. Then changes that can weaken its protection do too. */
export const usesConfirmations = ({
  confirmFromRisk,
  confirmEffects,
}: Pick<WorkspaceEntity, 'confirmFromRisk' | 'confirmEffects'>): boolean =>
  confirmFromRisk !== null || confirmEffects.length > 0;

/** The same as conditions on workspaces. */
export const USING_CONFIRMATIONS: FindOptionsWhere<WorkspaceEntity>[] = [
  { confirmFromRisk: Not(IsNull()) },
  { confirmEffects: Raw((column) => `${column} <> '{}'`) },
];

/** Who changes a workspace. A `Member` fits. */
interface Weakener {
  sessionId: string | null;
  token: object | null;
  role: Role;
  workspaceId: number;
}

/**
 * Tells whether the person of a session has recently confirmed their identity
 * (docs/reference/dashboard-api.md#confirmation). The session's row stores this, so a confirmation survives a refresh
 * and applies on every instance. Only the database's clock counts.
 */
@Injectable()
export class Confirmations {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Confirms the session of a person who gave their password or used a passkey.
   * @param passwordHash the one that was checked; null: it was a passkey
   * @throws ApiError 401 if the session has ended, or the password was changed meanwhile
   */
  async confirm({ id, sessionId }: AuthenticatedUser, passwordHash: string | null): Promise<void> {
    const [, confirmed] = await this.source.query<[unknown[], number]>(
      `UPDATE sessions s SET confirmed_at = clock_timestamp() FROM users u
       WHERE s.id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND u.id = s.user_id
         AND ($3::text IS NULL OR u.password_hash = $3)`,
      [sessionId, id, passwordHash],
    );
    if (confirmed !== 1) throw errors.invalidToken();
  }

  /** @throws ApiError 401 if the session has ended */
  async state({ sessionId }: Pick<AuthenticatedUser, 'sessionId'>): Promise<Confirmation> {
    const { until, password, passkey } = await this.row(null, sessionId);
    return { confirmedUntil: until?.toISOString() ?? null, password, passkey };
  }

  /**
   * Passes only for a session that was confirmed within the last five minutes.
   * @param tx the caller's transaction; null: it has none
   * @param sessionId of the request; null: a personal access token, which can't confirm @throws ApiError 403
   * `confirmation_required`
   */
  async assertConfirmed(tx: EntityManager | null, { sessionId }: { sessionId: string | null }): Promise<void> {
    if (sessionId === null) throw errors.noTokens();
    const { until } = await this.row(tx, sessionId);
    if (until === null) throw errors.confirmationRequired();
  }

  /**
   * Requires a confirmation for a change that can weaken the protection of a workspace, if the workspace uses
   * confirmations. Programs of administrators need none: they apply configuration files and can't confirm, but a person
   * confirmed when their token was made.
   * @throws ApiError 403 `confirmation_required`
   */
  async assertMayWeaken(tx: EntityManager, { workspaceId, token, role, ...actor }: Weakener): Promise<void> {
    if (token !== null && isAtLeast(role, 'admin')) return;
    const workspace = await tx.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    if (usesConfirmations(workspace)) await this.assertConfirmed(tx, actor);
  }

  /**
   * A person who signs in with a provider only has nothing to confirm with before the first passkey. For them a fresh
   * log-in counts.
   * @throws ApiError 403 `confirmation_required`
   */
  async assertMayAddPasskey({ sessionId }: Pick<AuthenticatedUser, 'sessionId'>): Promise<void> {
    const { until, password, passkey, fresh } = await this.row(null, sessionId);
    if (until === null && (password || passkey || !fresh)) throw errors.confirmationRequired();
  }

  /**
   * Uses the connection of the caller's transaction. If each transaction needed a second connection, transactions could
   * take all connections and wait forever for another one.
   */
  private async row(tx: EntityManager | null, sessionId: string): Promise<Row> {
    const [row]: Row[] = await (tx ?? this.source.manager).query(STATE, [sessionId]);
    if (row === undefined) throw errors.invalidToken();
    return row;
  }
}

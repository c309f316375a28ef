import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import {
  CREDENTIAL_GRACE_HOURS,
  sortedEffects,
  type AskedEffect,
  type CreateServiceRequest,
  type Service,
  type UpdateServiceRequest,
} from '#contracts';
import { CredentialEntity, inBatches, inShortStatements, inTransaction, ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations } from '../auth/confirmations.js';
import { keepWorkspace } from '../membership/memberships.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { assertBaseUrl } from './base-url.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { assertAuth, assertKeysExist } from '../credentials/kinds/auth-rules.js';
import { endSignIns, resetConnection } from '../connections/connection-store.js';
import { assertOAuth, isOtherClient } from '../connections/oauth-rules.js';
import { certificateEnd, rotation } from './credential-rotation.js';
import { originsAfterMove } from '../credentials/credential-origins.js';
import {
  assertAddition,
  assertCredentialNames,
  assertCredentials,
  ofOtherUse,
  OAUTH_TOKENS,
} from '../credentials/credential-rules.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { findService, lockService } from '../service-view/stored-service.js';
import { PreviousCredentials, previousExpirySql } from '../connections/previous-credentials.js';
import { TOKEN_HAS_ENDED_SQL } from '../connections/connection-view.js';
import { isWeaker, sendingAfter, type Sending } from './sending.js';
import { toService, type ServiceRow } from './service-mapper.js';
import { setPause } from './service-pause.js';
import { toServiceView, type ServiceView, type ServiceViewJson } from '../service-view/service-view.js';
import { SERVICE_VIEW_SQL } from './service-view-sql.js';

/** The names of the credentials that a change keeps, removes and adds. */
interface ChangedCredentials {
  kept: string[];
  removed: string[];
  added: string[];
}

/** Detaches closed actions from the service. They keep only its name. */
const LEAVE_ACTIONS = `
  UPDATE actions SET service_id = NULL WHERE id IN
    (SELECT id FROM actions WHERE service_id = $1 AND status NOT IN ('PENDING', 'APPROVED') LIMIT $2 FOR UPDATE SKIP LOCKED)`;

const CONNECTION_ROW = `(SELECT json_build_object('needsReconnect', c.needs_reconnect, 'expiresAt', c.expires_at, 'hasEnded', ${TOKEN_HAS_ENDED_SQL},
  'scopes', c.scopes, 'connectedBy', c.connected_by, 'connectedByName', c.connected_by_name,
  'connectedAt', c.connected_at, 'error', c.error) FROM connections c WHERE c.service_id = s.id)`;

/** SQL over $1 workspace, $2 one service, or null for all services, and $3 now. */
const SERVICES = `
  SELECT s.id, s.user_id AS "userId", s.name, s.base_url AS "baseUrl", s.auth_type AS "authType", s.auth, s.oauth,
    ${CONNECTION_ROW} AS connection, s.certificate_valid_to AS "certificateValidTo", s.credential_origins AS "credentialOrigins",
    ARRAY(SELECT c.name FROM credentials c WHERE c.service_id = s.id ORDER BY c.id) AS "credentialNames",
    s.rewrite_links AS "rewriteLinks", s.request_codings AS "requestCodings",
    s.base_url_idempotency AS "baseUrlIdempotency", s.base_url_wait AS "baseUrlWait",
    s.credentials_rotated_at AS "credentialsRotatedAt", s.credentials_rotated_by AS "credentialsRotatedBy",
    s.rejected_rotation AS "rejectedRotation",
    s.credentials_rotated_by_name AS "credentialsRotatedByName", s.rotate_every_days AS "rotateEveryDays", s.ask_for AS "askFor",
    ${previousExpirySql('$3')} AS "previousExpiresAt", s.paused_at AS "pausedAt", s.paused_reason AS "pausedReason",
    s.paused_by AS "pausedBy", s.paused_by_name AS "pausedByName", s.created_at AS "createdAt", s.updated_at AS "updatedAt"
  FROM services s WHERE s.workspace_id = $1 AND ($2::int IS NULL OR s.id = $2) ORDER BY s.id`;

const HOUR_MS = 3_600_000;

/** In one order, so that equal settings are stored alike. */
const sortedWords = (askFor?: readonly AskedEffect[]): AskedEffect[] | undefined => askFor && sortedEffects(askFor);

/** The services of each workspace. Services of other workspaces are not found. */
@Injectable()
export class ServiceRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly vault: CredentialVault,
    private readonly previous: PreviousCredentials,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
  ) {}

  list(workspaceId: number): Promise<Service[]> {
    return this.read(workspaceId, null);
  }

  /** @throws ApiError 404 */
  async get(workspaceId: number, id: number): Promise<Service> {
    const [service] = await this.read(workspaceId, id);
    if (!service) throw errors.serviceNotFound();
    return service;
  }

  async create(author: ChangeAuthor, request: CreateServiceRequest): Promise<Service> {
    const { authType, auth = null, credentials = {} } = request;
    assertKeysExist(auth, Object.keys(credentials));
    assertCredentials({ authType, auth }, credentials, this.clock.now());
    const id = await inTransaction(this.source, (tx) => this.createIn(tx, author, request));
    return this.get(author.actor.workspaceId, id);
  }

  /** Creates a service in the caller's transaction, possibly before its credentials are known. @throws ApiError 400 */
  async createIn(tx: EntityManager, author: ChangeAuthor, request: CreateServiceRequest): Promise<number> {
    assertBaseUrl(request.baseUrl);
    const { actor } = author;
    const now = this.clock.now();
    const { authType, auth = null, oauth = null, credentials = {} } = request;
    assertAuth({ authType, auth, baseUrl: request.baseUrl });
    assertOAuth(authType, oauth);
    await keepWorkspace(tx, actor.workspaceId);
    // The new service could take requests from a service that has rules, if its base URL is longer or uses another name
    // of the host.
    await this.confirmations.assertMayWeaken(tx, actor);
    const { identifiers } = await tx.insert(ServiceEntity, {
      workspaceId: actor.workspaceId,
      userId: actor.id,
      name: request.name,
      baseUrl: request.baseUrl,
      authType,
      auth,
      oauth,
      certificateValidTo: certificateEnd(auth, credentials),
      rewriteLinks: request.rewriteLinks,
      requestCodings: request.requestCodings,
      rotateEveryDays: request.rotateEveryDays,
      askFor: sortedWords(request.askFor),
      baseUrlIdempotency: request.baseUrlDefaults?.idempotency,
      baseUrlWait: request.baseUrlDefaults?.wait,
      ...rotation(author, now),
      createdAt: now,
      updatedAt: now,
    });
    const created = (identifiers[0] as { id: number }).id;
    await this.vault.replace(tx, created, credentials);
    if (oauth !== null) await resetConnection(tx, created, oauth);
    await this.audit.recordChange(tx, {
      ...author,
      reason: 'service.created',
      service: { id: created, name: request.name },
      details: {
        baseUrl: request.baseUrl,
        authType,
        auth: request.auth,
        oauth: request.oauth,
        rewriteLinks: request.rewriteLinks,
        requestCodings: request.requestCodings,
        rotateEveryDays: request.rotateEveryDays,
        askFor: sortedWords(request.askFor),
        baseUrlDefaults: request.baseUrlDefaults,
        credentials: Object.keys(credentials),
      },
    });
    return created;
  }

  async update(author: ChangeAuthor, id: number, request: UpdateServiceRequest): Promise<Service> {
    const refusedRequests = await inTransaction(this.source, (tx) => this.updateIn(tx, author, id, request));
    return { ...(await this.get(author.actor.workspaceId, id)), refusedRequests };
  }

  /** Changes a service in the caller's transaction. @returns how many requests a pause that it ended has refused */
  async updateIn(
    tx: EntityManager,
    author: ChangeAuthor,
    id: number,
    request: UpdateServiceRequest,
  ): Promise<number | undefined> {
    if (request.baseUrl !== undefined) assertBaseUrl(request.baseUrl);
    const service = await lockService(tx, author.actor.workspaceId, id);
    const next = sendingAfter(service, request);
    if (isWeaker(service, next, request)) await this.confirmations.assertMayWeaken(tx, author.actor);
    const credentials = await this.changeCredentials(tx, service, next, request);
    await this.changeRow(tx, author, service, next, request, credentials);
    await this.moveConnection(tx, service, next);
    await this.recordUpdate(tx, author, service, request, credentials);
    const { isPaused, name = service.name } = request;
    return isPaused === undefined
      ? undefined
      : setPause(tx, this.audit, author, { ...service, name }, request, this.clock.now());
  }

  /** Removes the credentials that another way to authenticate does not use, and adds the new ones. @throws ApiError 400 */
  private async changeCredentials(
    tx: EntityManager,
    service: ServiceEntity,
    next: Sending,
    { authType, auth, newCredentials = {} }: UpdateServiceRequest,
  ): Promise<ChangedCredentials> {
    const { id } = service;
    const stored = await this.vault.names(tx, id);
    const added = Object.keys(newCredentials);
    const isOtherUse = (authType !== undefined && authType !== service.authType) || auth !== undefined;
    // An imported service gets its credentials later.
    if (isOtherUse && stored.length + added.length > 0) assertKeysExist(next.auth, [...stored, ...added]);
    const removed = isOtherUse ? ofOtherUse(service, next, stored) : [];
    const kept = stored.filter((name) => !removed.includes(name));
    if (isOtherUse || added.length > 0) assertCredentialNames(next, [...kept, ...added]);
    if (added.length > 0) assertAddition(next, kept, newCredentials, this.clock.now());
    if (removed.length > 0) {
      await this.previous.keep(tx, id, {}, new Date(this.clock.nowMs() + CREDENTIAL_GRACE_HOURS * HOUR_MS));
      await tx.delete(CredentialEntity, { serviceId: id, name: In(removed) });
    }
    if (added.length > 0) await this.vault.add(tx, id, newCredentials);
    return { kept, removed, added };
  }

  private async changeRow(
    tx: EntityManager,
    author: ChangeAuthor,
    service: ServiceEntity,
    next: Sending,
    request: UpdateServiceRequest,
    { kept, removed, added }: ChangedCredentials,
  ): Promise<void> {
    const { name, baseUrl, authType, auth, oauth, rewriteLinks, requestCodings, rotateEveryDays } = request;
    const askFor = sortedWords(request.askFor);
    const { idempotency: baseUrlIdempotency, wait: baseUrlWait } = request.baseUrlDefaults ?? {};
    const losesTokens = isOtherClient(service.oauth, next.oauth);
    const secrets = kept.filter((secret) => !(losesTokens && OAUTH_TOKENS.includes(secret)));
    const hadNone = kept.length + removed.length === 0;
    const now = this.clock.now();
    await tx.update(
      ServiceEntity,
      { id: service.id },
      {
        name,
        baseUrl,
        authType,
        auth,
        oauth,
        rewriteLinks,
        requestCodings,
        rotateEveryDays,
        askFor,
        baseUrlIdempotency,
        baseUrlWait,
        credentialOrigins: secrets.length === 0 ? null : originsAfterMove(service, next),
        ...(added.includes('client_cert') && {
          certificateValidTo: certificateEnd(next.auth, request.newCredentials ?? {}),
        }),
        ...(hadNone && added.length > 0 && rotation(author, now)),
        updatedAt: now,
      },
    );
  }

  /** The tokens belong to the previous client, and must not reach another provider. */
  private async moveConnection(tx: EntityManager, service: ServiceEntity, next: Sending): Promise<void> {
    if (next.baseUrl !== service.baseUrl) await endSignIns(tx, service.id);
    if (!isOtherClient(service.oauth, next.oauth)) return;
    await this.vault.removeTokens(tx, service.id);
    await resetConnection(tx, service.id, next.oauth);
  }

  private async recordUpdate(
    tx: EntityManager,
    author: ChangeAuthor,
    service: ServiceEntity,
    request: UpdateServiceRequest,
    { removed, added }: ChangedCredentials,
  ): Promise<void> {
    const { name, baseUrl, authType, auth, oauth, rewriteLinks, requestCodings, rotateEveryDays, baseUrlDefaults } =
      request;
    const askFor = sortedWords(request.askFor);
    const given = { name, baseUrl, authType, auth, oauth, rewriteLinks, requestCodings, rotateEveryDays };
    const to = { ...given, baseUrlDefaults, askFor };
    if (added.length === 0 && Object.values(to).every((value) => value === undefined)) return;
    await this.audit.recordChange(tx, {
      ...author,
      reason: 'service.updated',
      service: { id: service.id, name: name ?? service.name },
      details: {
        from: {
          name: service.name,
          baseUrl: service.baseUrl,
          authType: service.authType,
          auth: service.auth,
          oauth: service.oauth,
          rewriteLinks: service.rewriteLinks,
          requestCodings: service.requestCodings,
          rotateEveryDays: service.rotateEveryDays,
          askFor: service.askFor,
          baseUrlDefaults: { idempotency: service.baseUrlIdempotency, wait: service.baseUrlWait },
        },
        to,
        ...(removed.length > 0 && { removedCredentials: removed }),
        ...(added.length > 0 && { addedCredentials: added }),
      },
    });
  }

  /**
   * Deletes the service with its credentials, documentation, rules and scopes. Actions and audit records stay
   * (docs/reference/dashboard-api.md#deleting-services).
   */
  async delete(author: ChangeAuthor, id: number): Promise<void> {
    await findService(this.source.manager, author.actor.workspaceId, id);
    await this.confirmations.assertMayWeaken(this.source.manager, author.actor);
    // Deleting the row would change all of them in one statement, which could take longer than it may.
    await inBatches(this.source, LEAVE_ACTIONS, id);
    return inTransaction(this.source, (tx) => this.deleteIn(tx, author, id));
  }

  /** Does the same in the caller's transaction. */
  async deleteIn(tx: EntityManager, author: ChangeAuthor, id: number): Promise<void> {
    const service = await lockService(tx, author.actor.workspaceId, id, 'pessimistic_write');
    // A service with a shorter base URL and other rules could get its requests.
    await this.confirmations.assertMayWeaken(tx, author.actor);
    await inShortStatements(
      tx,
      'SELECT id FROM actions WHERE service_id = $1 FOR NO KEY UPDATE SKIP LOCKED',
      id,
      'UPDATE actions SET service_id = NULL WHERE id = ANY ($1::uuid[])',
    );
    await tx.delete(ServiceEntity, { id });
    await this.audit.recordChange(tx, { ...author, reason: 'service.deleted', service: { id, name: service.name } });
  }

  /** The workspace's service, as the assessment of requests sees it. @throws ApiError 404 */
  async view(workspaceId: number, id: number): Promise<ServiceView> {
    const rows: { view: ServiceViewJson }[] = await this.source.query(
      `SELECT ${SERVICE_VIEW_SQL} AS view FROM services s WHERE s.id = $1 AND s.workspace_id = $2`,
      [id, workspaceId],
    );
    if (rows.length === 0) throw errors.serviceNotFound();
    return toServiceView(rows[0].view);
  }

  private async read(workspaceId: number, id: number | null): Promise<Service[]> {
    const rows: ServiceRow[] = await this.source.query(SERVICES, [workspaceId, id, this.clock.now()]);
    return rows.map(toService);
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type {
  HttpMethod,
  TestCredentialsRequest,
  TestNewServiceRequest,
  TestServiceRequest,
  TestServiceResult,
} from '#contracts';
import { EgressClient, EgressFailure } from '#egress';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { assertCredentials } from '../credentials/credential-rules.js';
import { assertAuth, assertKeysExist } from '../credentials/kinds/auth-rules.js';
import type { Injection } from '../credentials/kinds/injection.js';
import { ClientTest } from '../connections/client-test.js';
import { Connections, isConnected } from '../connections/connections.js';
import { withInjection } from '../credentials/kinds/with-injection.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { guardTarget, type TargetService } from '../egress/egress-errors.js';
import { assertBaseUrl } from './base-url.js';
import { ServiceRegistry } from './service-registry.js';
import { readOwner } from './service-view-sql.js';
import type { ServiceView } from '../service-view/service-view.js';

/** A test must not change anything at the upstream (RFC 9110, section 9.2.1: safe methods). */
const SAFE_METHODS: readonly HttpMethod[] = ['GET', 'HEAD', 'OPTIONS'];

/** The tests of one person that are in progress at once. Each can take a connection until it times out. */
const TESTS_MAX = 10;
/** Nobody reads the body of the answer, so many tests at once take little memory. */
const BODY_MAX_BYTES = 64 * 1024;

/**
 * $1: the service. $2: its version when it was tested, so that the answer to credentials that were replaced meanwhile
 * counts for nothing. $3: whether the API rejected them.
 */
const REMEMBER = `
  UPDATE services SET rejected_rotation = CASE WHEN $3 THEN credentials_rotated_at END
  WHERE id = $1 AND version = $2 AND rejected_rotation IS DISTINCT FROM CASE WHEN $3 THEN credentials_rotated_at END`;

type Outcome = Omit<TestServiceResult, 'durationMs'>;

/** Tests a service's base URL and credentials with one real request. */
@Injectable()
export class ServiceTester {
  /** How many tests are in progress, by person. */
  private readonly inProgress = new Map<number, number>();

  constructor(
    private readonly services: ServiceRegistry,
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly clients: ClientTest,
    private readonly egress: EgressClient,
    private readonly config: EgressConfig,
    private readonly audit: AuditLog,
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Tests with the stored credentials, and remembers whether the API rejected them. */
  async test(author: ChangeAuthor, serviceId: number, request: TestServiceRequest): Promise<TestServiceResult> {
    assertSafe(request);
    const service = await this.services.view(author.actor.workspaceId, serviceId);
    const result = await this.run(author, service, request, 'service.tested', {}, () =>
      this.send(service, request, async () => this.vault.injection(await this.usable(author, service))),
    );
    await this.remember(service, result);
    return result;
  }

  /** Another answer, such as 404 or 500, says nothing about the credentials. */
  private async remember({ id, version }: ServiceView, { status }: TestServiceResult): Promise<void> {
    const isRejected = status === 401 || status === 403;
    if (!isRejected && (status === null || status >= 400)) return;
    await this.source.query(REMEMBER, [id, version, isRejected]);
  }

  /** Tests with the given credentials, which are not stored. */
  async testCredentials(
    author: ChangeAuthor,
    serviceId: number,
    { credentials, ...request }: TestCredentialsRequest,
  ): Promise<TestServiceResult> {
    assertSafe(request);
    const service = await this.services.view(author.actor.workspaceId, serviceId);
    assertCredentials(service, credentials, this.clock.now());
    const details = { credentials: Object.keys(credentials) };
    return this.run(author, service, request, 'service.credentials_tested', details, () =>
      this.sendWith(service, request, credentials),
    );
  }

  /**
   * Tests a service that is not registered, which stores nothing of it.
   * @throws ApiError 400
   */
  async testNew(author: ChangeAuthor, { service, ...request }: TestNewServiceRequest): Promise<TestServiceResult> {
    assertSafe(request);
    const { name, baseUrl, authType, auth = null, oauth = null, credentials = {} } = service;
    if (oauth !== null) throw errors.invalid('service.oauth: can only be tested after the service is connected');
    assertBaseUrl(baseUrl);
    assertAuth({ authType, auth, baseUrl });
    assertKeysExist(auth, Object.keys(credentials));
    assertCredentials({ authType, auth }, credentials, this.clock.now());
    const owner = await readOwner(this.source, author.actor.workspaceId);
    const details = { name, baseUrl, credentials: Object.keys(credentials) };
    return this.run(author, null, request, 'service.credentials_tested', details, () =>
      this.send({ baseUrl, owner }, request, () =>
        Promise.resolve(this.vault.injectionWith({ authType, auth }, credentials)),
      ),
    );
  }

  private async sendWith(
    service: ServiceView,
    request: TestServiceRequest,
    credentials: Record<string, string>,
  ): Promise<Outcome> {
    const send = (all: Record<string, string>): Promise<Outcome> =>
      this.send(service, request, () => Promise.resolve(this.vault.injectionWith(service, all)));
    if (service.oauth === null || Object.hasOwn(credentials, 'access_token')) return send(credentials);
    const client = await this.clients.try(service, service.oauth, credentials.client_secret);
    const { clientSecret, accessToken, reason } = client;
    if (accessToken === null) return { status: null, reason, clientSecret };
    return { ...(await send({ ...credentials, access_token: accessToken })), clientSecret };
  }

  /**
   * Returns the service with a valid token.
   * @throws ApiError 502
   */
  private async usable(author: ChangeAuthor, service: ServiceView): Promise<ServiceView> {
    if (!isConnected(service) || (await this.connections.ensure(service))) return service;
    const renewed = await this.services.view(author.actor.workspaceId, service.id);
    if (isConnected(renewed)) await this.connections.ensure(renewed, true);
    return renewed;
  }

  /** @throws ApiError 429 */
  private run(
    author: ChangeAuthor,
    service: ServiceView | null,
    { method = 'GET', path }: TestServiceRequest,
    reason: string,
    details: Record<string, unknown>,
    act: () => Promise<Outcome>,
  ): Promise<TestServiceResult> {
    return this.asOneOfFew(author.actor.id, async () => {
      // The record comes first: no credential is sent before the record is durable
      // (docs/reference/audit.md#before-sending).
      await this.source.transaction((tx) =>
        this.audit.recordChange(tx, {
          ...author,
          reason,
          service: service === null ? undefined : { id: service.id, name: service.name },
          details: { ...details, method, path: path ?? null },
        }),
      );
      const startedMs = this.clock.monotonicMs();
      const outcome = await act();
      return { ...outcome, durationMs: Math.round(this.clock.monotonicMs() - startedMs) };
    });
  }

  /** @throws ApiError 429 */
  private async asOneOfFew<Result>(personId: number, work: () => Promise<Result>): Promise<Result> {
    const others = this.inProgress.get(personId) ?? 0;
    if (others >= TESTS_MAX) throw errors.tooManyServiceTests(TESTS_MAX);
    this.inProgress.set(personId, others + 1);
    try {
      return await work();
    } finally {
      const left = this.inProgress.get(personId)! - 1;
      if (left === 0) this.inProgress.delete(personId);
      else this.inProgress.set(personId, left);
    }
  }

  private async send(
    service: TargetService,
    { method = 'GET', path }: TestServiceRequest,
    inject: () => Promise<Injection>,
  ): Promise<Outcome> {
    const target = path === undefined ? service.baseUrl : service.baseUrl.replace(/\/+$/, '') + path;
    try {
      const url = guardTarget(target, service, this.config);
      const request = withInjection({ url, method, headers: {}, body: null }, await inject(), () => this.clock.now());
      const limits = { timeoutMs: this.config.timeouts.upstreamMs, maxBytes: BODY_MAX_BYTES };
      const { status } = await this.egress.send({ ...request, limits });
      return { status, reason: null };
    } catch (error) {
      // The API has said what it thinks of the credentials, whatever becomes of the body.
      if (error instanceof EgressFailure && error.status !== null) return { status: error.status, reason: null };
      return { status: null, reason: failureReason(error) };
    }
  }
}

/** @throws ApiError 400 */
function assertSafe({ method = 'GET' }: TestServiceRequest): void {
  if (!SAFE_METHODS.includes(method)) throw errors.invalid(`method: must be one of ${SAFE_METHODS.join(', ')}`);
}

function failureReason(error: unknown): string {
  if (error instanceof EgressFailure) return error.reason;
  if (error instanceof ApiError) return error.message;
  throw error;
}

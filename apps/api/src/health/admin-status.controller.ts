import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { GatewayStatus, ROTATION_DUE_DAYS, type DatabaseStatus, type RotationStatus } from '#contracts';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { packageVersion } from '../platform/package-version.js';
import { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { CONFIG } from '../platform/platform.module.js';
import { ModelHealth } from '../risk/model-health.js';
import { credentialBinding } from '../credentials/encrypted-credentials.js';
import { Parts } from './parts.js';
import { AdministratorGuard } from '../membership/administrator.guard.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';

@ApiTags('Health')
@ApiBearerAuth()
@Controller('admin')
@UseGuards(AdministratorGuard, MemberGuard) // The first guard checks the administrator, the second finds the workspace whose services are counted.
export class AdminStatusController {
  private readonly version = packageVersion();
  private readonly startedAt: Date;

  constructor(
    private readonly source: DataSource,
    private readonly cipher: CredentialCipher,
    private readonly hub: EventHub,
    private readonly model: ModelHealth,
    private readonly clock: Clock,
    private readonly parts: Parts,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.startedAt = clock.now();
  }

  @Get('status')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get the status of the gateway: database, model, live updates, configuration' })
  @ApiOkResponse({ type: GatewayStatus })
  @ApiErrors(401, 503)
  async status(@CurrentMember() member: ActingMember): Promise<GatewayStatus> {
    const database = await this.database();
    return {
      version: this.version,
      startedAt: this.startedAt.toISOString(),
      now: this.clock.now().toISOString(),
      nodeVersion: process.version,
      rssBytes: process.memoryUsage.rss(),
      parts: await this.parts.read(),
      database,
      model: this.model.status(),
      liveClients: this.hub.subscriberCount,
      liveUpdates: this.hub.connected,
      encryptionOk: await this.encryptionOk(member.workspaceId),
      credentialRotation: await this.rotation(member.workspaceId),
      privateTargetAllowlist: [...this.config.egress.privateTargetAllowlist],
      config: [...this.config.summary],
    };
  }

  private async database(): Promise<DatabaseStatus> {
    const beforeMs = this.clock.monotonicMs();
    const [row]: { version: string; now: Date; migration: string }[] = await this.source.query(
      `SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
              (SELECT name FROM migrations ORDER BY id DESC LIMIT 1) AS migration`,
    );
    const latencyMs = this.clock.monotonicMs() - beforeMs;
    return {
      latencyMs: Math.round(latencyMs * 10) / 10,
      version: row.version,
      migration: row.migration,
      clockSkewMs: Math.round(row.now.getTime() - this.clock.nowMs() + latencyMs / 2),
    };
  }

  private async rotation(workspaceId: number): Promise<RotationStatus> {
    const [status]: RotationStatus[] = await this.source.query(
      `SELECT count(*) FILTER (WHERE due_at > $2)::int AS due, count(*) FILTER (WHERE due_at <= $2)::int AS overdue
       FROM (SELECT credentials_rotated_at + rotate_every_days * interval '24 hours' AS due_at FROM services WHERE workspace_id = $1) s
       WHERE due_at <= $2::timestamptz + $3 * interval '24 hours'`,
      [workspaceId, this.clock.now(), ROTATION_DUE_DAYS],
    );
    return status;
  }

  /** One value shows whether the secret is right. `npm run rotate-secret` checks all of them. */
  private async encryptionOk(workspaceId: number): Promise<boolean> {
    const rows: { service: number; name: string; value: string }[] = await this.source.query(
      `SELECT c.service_id AS service, c.name, c.encrypted_value AS value FROM credentials c JOIN services s ON s.id = c.service_id
       WHERE s.workspace_id = $1 ORDER BY c.id LIMIT 1`,
      [workspaceId],
    );
    try {
      for (const { service, name, value } of rows) this.cipher.decrypt(value, credentialBinding(service, name));
      return true;
    } catch {
      return false;
    }
  }
}

import { ApiProperty } from '@nestjs/swagger';

export class Health {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';
}

export class Readiness {
  @ApiProperty({ enum: ['ready'] })
  status: 'ready';

  @ApiProperty({ enum: ['connected'] })
  database: 'connected';
}

export class DatabaseStatus {
  @ApiProperty()
  latencyMs: number;

  @ApiProperty()
  version: string;

  /** Name of the newest migration that has run. */
  @ApiProperty()
  migration: string;

  /** Database clock minus the gateway's, in milliseconds. */
  @ApiProperty()
  clockSkewMs: number;
}

/** Of this process, since it started. */
export class ModelStatus {
  @ApiProperty()
  baseUrl: string;

  @ApiProperty()
  model: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastSuccessAt: string | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastFailureAt: string | null;

  @ApiProperty({ nullable: true, type: String })
  lastFailure: string | null;

  @ApiProperty()
  calls: number;

  @ApiProperty()
  failures: number;

  @ApiProperty()
  timeouts: number;

  @ApiProperty({ nullable: true, type: Number })
  p95Ms: number | null;
}

export class ConfigEntry {
  @ApiProperty()
  name: string;

  /** The value, or `set` / `unset` where it is a secret. */
  @ApiProperty()
  value: string;

  @ApiProperty()
  secret: boolean;
}

export class GatewayStatus {
  @ApiProperty()
  version: string;

  @ApiProperty({ format: 'date-time' })
  startedAt: string;

  @ApiProperty({ format: 'date-time' })
  now: string;

  @ApiProperty()
  nodeVersion: string;

  @ApiProperty()
  rssBytes: number;

  @ApiProperty({ type: DatabaseStatus })
  database: DatabaseStatus;

  @ApiProperty({ type: ModelStatus })
  model: ModelStatus;

  /** Open event streams of this process. */
  @ApiProperty()
  liveClients: number;

  /** True when this process hears of changes made by others. */
  @ApiProperty()
  liveUpdates: boolean;

  /** True when a credential of the asking user could be decrypted, or none is stored. */
  @ApiProperty()
  encryptionOk: boolean;

  /** null for accounts that may not use it. */
  @ApiProperty({ type: [String], nullable: true })
  privateTargetAllowlist: string[] | null;

  @ApiProperty({ type: [ConfigEntry] })
  config: ConfigEntry[];
}

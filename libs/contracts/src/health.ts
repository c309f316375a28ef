import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class Health {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';
}

export const PARTS = ['database', 'schema', 'events', 'model', 'queues', 'clock'] as const;
export type PartName = (typeof PARTS)[number];

/** A part of the gateway, as one process sees it. */
export class Part {
  @ApiProperty({ enum: PARTS })
  name: PartName;

  @ApiProperty()
  ok: boolean;

  /** Since when, as far as this process has seen it. */
  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty()
  message: string;
}

export class Readiness {
  @ApiProperty({ enum: ['ready'] })
  status: 'ready';

  @ApiProperty({ enum: ['connected'] })
  database: 'connected';

  /** For installation administrators, and for `METRICS_TOKEN` as bearer token. */
  @ApiPropertyOptional({ type: [Part] })
  parts?: Part[];
}

export class DatabaseStatus {
  @ApiProperty()
  latencyMs: number;

  @ApiProperty()
  version: string;

  /** Name of the last migration that ran. */
  @ApiProperty()
  migration: string;

  /** Database clock minus gateway clock, in milliseconds. */
  @ApiProperty()
  clockSkewMs: number;
}

/** Model calls of this process since it started. */
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

/** What the model said about one request that the gateway made up. */
export class ModelTest {
  /** Whether it answered with a verdict. */
  @ApiProperty()
  ok: boolean;

  /** How long it took. */
  @ApiProperty({ type: 'integer' })
  ms: number;

  /** From 0 to 1. The request deletes a customer, so a useful model says a high one. null: it gave no verdict. */
  @ApiProperty({ nullable: true, type: Number })
  score: number | null;

  @ApiProperty({ nullable: true, type: String })
  explanation: string | null;

  /** Why it gave no verdict. null: it gave one. */
  @ApiProperty({ nullable: true, type: String })
  error: string | null;
}

export class ConfigEntry {
  @ApiProperty()
  name: string;

  /** The value. For a secret: `set` or `unset`. */
  @ApiProperty()
  value: string;

  @ApiProperty()
  secret: boolean;
}

/** Services of the current user with `rotateEveryDays`. */
export class RotationStatus {
  /** How many should get new credentials within the next 7 days. */
  @ApiProperty({ type: 'integer' })
  due: number;

  /** How many should have got them before now. */
  @ApiProperty({ type: 'integer' })
  overdue: number;
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

  @ApiProperty({ type: [Part] })
  parts: Part[];

  @ApiProperty({ type: DatabaseStatus })
  database: DatabaseStatus;

  @ApiProperty({ type: ModelStatus })
  model: ModelStatus;

  /** Number of open event streams in this process. */
  @ApiProperty()
  liveClients: number;

  /** True when this process receives events about changes that other processes make. */
  @ApiProperty()
  liveUpdates: boolean;

  /** True when one of the current user's credentials could be decrypted, or when none is stored. */
  @ApiProperty()
  encryptionOk: boolean;

  @ApiProperty({ type: RotationStatus })
  credentialRotation: RotationStatus;

  /** null for accounts that may not use the allowlist. */
  @ApiProperty({ type: [String], nullable: true })
  privateTargetAllowlist: string[] | null;

  @ApiProperty({ type: [ConfigEntry] })
  config: ConfigEntry[];
}

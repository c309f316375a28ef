import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { AGENT_KEY_SHOWN } from './headers.js';
import {
  AGENT_ADDRESSES_MAX,
  AGENT_NAME_MAX,
  AGENT_NAME_MIN,
  CALLBACK_HOST_MAX,
  CALLBACK_HOSTS_MAX,
  KEY_GRACE_MAX_MINUTES,
  KEY_LIFETIME_MAX_DAYS,
} from './limits.js';
import { AtLeastOneOf, IsId, IsMissable, verbatim } from './validation.js';

export class ReplaceScopeRequest {
  /** All services that the agent may reach. Each must belong to the user. Repeated ids count once. */
  @ApiProperty({ type: [Number], minItems: 1 })
  @IsId({ each: true })
  @ArrayMaxSize(1000)
  @IsArray()
  @ArrayMinSize(1, verbatim('At least one service ID is required'))
  serviceIds: number[];
}

export class CreateAgentRequest extends ReplaceScopeRequest {
  @ApiProperty({ minLength: AGENT_NAME_MIN, maxLength: AGENT_NAME_MAX })
  @IsString()
  @Length(AGENT_NAME_MIN, AGENT_NAME_MAX)
  name: string;
}

export class UpdateAgentRequest {
  @ApiPropertyOptional({ minLength: AGENT_NAME_MIN, maxLength: AGENT_NAME_MAX })
  @AtLeastOneOf(['name', 'isActive', 'callbackHosts', 'keyLifetimeDays', 'addresses'])
  @IsMissable()
  @IsString()
  @Length(AGENT_NAME_MIN, AGENT_NAME_MAX)
  name?: string;

  /** false revokes the agent: its next request gets 401. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsBoolean()
  isActive?: boolean;

  /**
   * Replaces the hosts that callbacks may go to: `host` or `host:port`. It also clears the agent's latest request for a
   * host.
   */
  @ApiPropertyOptional({ type: [String], maxItems: CALLBACK_HOSTS_MAX, example: ['agent.example.com'] })
  @IsMissable()
  @MaxLength(CALLBACK_HOST_MAX, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(CALLBACK_HOSTS_MAX)
  @IsArray()
  callbackHosts?: string[];

  /**
   * How many days after its creation the key expires; null: never. Applies to the current key and to those that follow.
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: KEY_LIFETIME_MAX_DAYS, nullable: true })
  @ValidateIf((_object, value) => value !== undefined && value !== null)
  @IsInt()
  @Min(1)
  @Max(KEY_LIFETIME_MAX_DAYS)
  keyLifetimeDays?: number | null;

  /** Replaces the client addresses that the agent's keys may come from: IP addresses and CIDR ranges; empty: all. */
  @ApiPropertyOptional({ type: [String], maxItems: AGENT_ADDRESSES_MAX, example: ['192.0.2.10', '2001:db8::/32'] })
  @IsMissable()
  @MaxLength(64, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(AGENT_ADDRESSES_MAX)
  @IsArray()
  addresses?: string[];
}

export class RotateKeyRequest {
  /** How many minutes the current key keeps working. 0, the default, ends it and every older key immediately. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: KEY_GRACE_MAX_MINUTES, default: 0 })
  @IsMissable()
  @IsInt()
  @Min(0)
  @Max(KEY_GRACE_MAX_MINUTES)
  graceMinutes?: number;
}

/** A key that was rotated and still works. */
export class PreviousKey {
  @ApiProperty({ minLength: AGENT_KEY_SHOWN, maxLength: AGENT_KEY_SHOWN, example: 'agt_3f9c0a11' })
  keyPrefix: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  /** Accurate to about a second; null: not used. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastUsedAt: string | null;
}

/** A service or agent by id and name. */
export class NamedRef {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;
}

export class Agent {
  @ApiProperty()
  id: number;

  /** The person who made it. Null: the account was deleted. */
  @ApiProperty({ nullable: true, type: Number })
  userId: number | null;

  @ApiProperty()
  name: string;

  /** The first characters of the agent key, to identify it. */
  @ApiProperty({ minLength: AGENT_KEY_SHOWN, maxLength: AGENT_KEY_SHOWN, example: 'agt_3f9c0a11' })
  keyPrefix: string;

  @ApiProperty({ format: 'date-time' })
  keyCreatedAt: string;

  /** How many days after its creation a key expires; null: never. */
  @ApiProperty({ nullable: true, type: 'integer' })
  keyLifetimeDays: number | null;

  /** When the key expires; null: never. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  keyExpiresAt: string | null;

  /** The rotated key that still works; null: none. If there are several, the one that was used last. */
  @ApiProperty({ type: PreviousKey, nullable: true })
  previousKey: PreviousKey | null;

  /** IP addresses and CIDR ranges that the agent's keys may come from; empty: all. */
  @ApiProperty({ type: [String] })
  addresses: string[];

  @ApiProperty()
  isActive: boolean;

  /** The time of the last request with the agent's key, accurate to about a second. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastUsedAt: string | null;

  @ApiProperty({ type: [NamedRef] })
  services: NamedRef[];

  /** Hosts that callbacks may go to: `host` or `host:port`. Without a port, the scheme's default port applies. */
  @ApiProperty({ type: [String] })
  callbackHosts: string[];

  /** The last host that the agent requested and that is not in `callbackHosts`; null when no request is open. */
  @ApiProperty({ nullable: true, type: String })
  callbackRequestedHost: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

/** A new agent has no last use. */
export class CreatedAgent extends OmitType(Agent, ['lastUsedAt'] as const) {}

export class CreateAgentResponse {
  @ApiProperty({ type: CreatedAgent })
  agent: CreatedAgent;

  /** The full agent key. It is shown only in this response. */
  @ApiProperty({ pattern: '^agt_[0-9a-f]{64}$' })
  apiKey: string;
}

export class RotateKeyResponse {
  @ApiProperty({ type: Agent })
  agent: Agent;

  /** The full new agent key. It is shown only in this response. */
  @ApiProperty({ pattern: '^agt_[0-9a-f]{64}$' })
  apiKey: string;
}

export class ReplaceScopeResponse {
  @ApiProperty()
  message: string;

  @ApiProperty({ type: [NamedRef] })
  services: NamedRef[];
}

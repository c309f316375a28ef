import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { Flag, Integer, Text } from './fields.js';
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
import { Texts } from './nested-fields.js';
import { AtLeastOneOf, IsId, verbatim } from './validation.js';

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
  @Text({ min: AGENT_NAME_MIN, max: AGENT_NAME_MAX })
  name: string;
}

export class UpdateAgentRequest {
  @AtLeastOneOf(['name', 'isActive', 'callbackHosts', 'keyLifetimeDays', 'addresses'])
  @Text({ optional: true, min: AGENT_NAME_MIN, max: AGENT_NAME_MAX })
  name?: string;

  /** false revokes the agent: its next request gets 401. */
  @Flag({ optional: true })
  isActive?: boolean;

  /**
   * Replaces the hosts that callbacks may go to: `host` or `host:port`. It also clears the agent's latest request for a
   * host.
   */
  @Texts({ optional: true, max: CALLBACK_HOSTS_MAX, example: ['agent.example.com'] }, { eachMax: CALLBACK_HOST_MAX })
  callbackHosts?: string[];

  /**
   * How many days after its creation the key expires; null: never. Applies to the current key and to those that follow.
   */
  @Integer({ optional: true, min: 1, max: KEY_LIFETIME_MAX_DAYS, nullable: true })
  keyLifetimeDays?: number | null;

  /** Replaces the client addresses that the agent's keys may come from: IP addresses and CIDR ranges; empty: all. */
  @Texts({ optional: true, max: AGENT_ADDRESSES_MAX, example: ['192.0.2.10', '2001:db8::/32'] }, { eachMax: 64 })
  addresses?: string[];
}

export class RotateKeyRequest {
  /** How many minutes the current key keeps working. 0, the default, ends it and every older key immediately. */
  @Integer({ optional: true, min: 0, max: KEY_GRACE_MAX_MINUTES, default: 0 })
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

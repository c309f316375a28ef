import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsString, Length, MaxLength } from 'class-validator';
import { AGENT_KEY_SHOWN } from './headers.js';
import { AGENT_NAME_MAX, AGENT_NAME_MIN, CALLBACK_HOST_MAX, CALLBACK_HOSTS_MAX } from './limits.js';
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
  @AtLeastOneOf(['name', 'isActive', 'callbackHosts'])
  @IsMissable()
  @IsString()
  @Length(AGENT_NAME_MIN, AGENT_NAME_MAX)
  name?: string;

  /** false revokes the agent: its next request gets 401. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsBoolean()
  isActive?: boolean;

  /** Replaces the hosts that callbacks may go to: `host` or `host:port`. It also clears the agent's latest request for a host. */
  @ApiPropertyOptional({ type: [String], maxItems: CALLBACK_HOSTS_MAX, example: ['agent.example.com'] })
  @IsMissable()
  @MaxLength(CALLBACK_HOST_MAX, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(CALLBACK_HOSTS_MAX)
  @IsArray()
  callbackHosts?: string[];
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

  /** The owner. */
  @ApiProperty()
  userId: number;

  @ApiProperty()
  name: string;

  /** The first characters of the agent key, to identify it. */
  @ApiProperty({ minLength: AGENT_KEY_SHOWN, maxLength: AGENT_KEY_SHOWN, example: 'agt_3f9c0a11' })
  keyPrefix: string;

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

  /** The full new agent key. It is shown only in this response. The old key no longer works. */
  @ApiProperty({ pattern: '^agt_[0-9a-f]{64}$' })
  apiKey: string;
}

export class ReplaceScopeResponse {
  @ApiProperty()
  message: string;

  @ApiProperty({ type: [NamedRef] })
  services: NamedRef[];
}

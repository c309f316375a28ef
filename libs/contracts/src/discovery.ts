import { ApiProperty } from '@nestjs/swagger';

/** One of the agent's services, with the details that the agent may see. */
export class AgentService {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  /** Every `targetUrl` for this service must be below this URL. */
  @ApiProperty({ format: 'uri', example: 'https://api.example.com/v1' })
  baseUrl: string;

  /** The gateway's URL for this service. Use it in programs that let you set only a base URL. */
  @ApiProperty({ format: 'uri', example: 'https://gateway.example/s/Shop' })
  gatewayBaseUrl: string;

  /** Headers that the gateway adds, in lower case. Do not send them yourself. */
  @ApiProperty({ type: [String], example: ['authorization'] })
  credentialHeaders: string[];

  /** Whether the service has documentation that you can search through `POST /mcp`. */
  @ApiProperty()
  documented: boolean;

  /** The rules that apply to this agent, in words. The strongest come first. */
  @ApiProperty({
    type: [String],
    example: ['DELETE requests: held until a human approves (rule "Ask before DELETE")'],
  })
  rules: string[];
}

export class AgentLimits {
  /** If no rule decides, requests with this risk score or more are held. */
  @ApiProperty({ example: 0.5 })
  riskThreshold: number;

  /** Largest request body and largest response body. */
  @ApiProperty({ example: 10_485_760 })
  bodyBytes: number;

  @ApiProperty({ example: 30 })
  upstreamTimeoutSeconds: number;

  @ApiProperty({ example: 500 })
  intentCharacters: number;

  @ApiProperty({ example: 8192 })
  targetUrlCharacters: number;

  /** Largest N for `Prefer: wait=N`. */
  @ApiProperty({ example: 60 })
  waitSeconds: number;

  /** Seconds between two polls of a status without `Prefer: wait=N`. */
  @ApiProperty({ example: 8 })
  pollSeconds: number;

  /** A held request expires if it is not decided within this time. */
  @ApiProperty({ example: 24 })
  decideWithinHours: number;

  /** An approval expires if it is not used within this time. */
  @ApiProperty({ example: 1 })
  executeWithinHours: number;

  @ApiProperty({ example: 24 })
  idempotencyKeyHours: number;
}

/** The gateway's endpoints as absolute URLs. Replace `{actionId}` with the action's id. */
export class AgentLinks {
  @ApiProperty({ format: 'uri' })
  proxy: string;

  @ApiProperty({ example: 'https://gateway.example/status/{actionId}' })
  status: string;

  @ApiProperty({ example: 'https://gateway.example/proxy/execute/{actionId}' })
  execute: string;

  @ApiProperty({ format: 'uri' })
  callback: string;

  @ApiProperty({ format: 'uri' })
  mcp: string;

  @ApiProperty({ format: 'uri' })
  skill: string;

  @ApiProperty({ format: 'uri' })
  openapi: string;
}

/** What `GET /agent` returns: the calling agent, its services and its limits. */
export class AgentDescription {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: [AgentService] })
  services: AgentService[];

  /** What happens to requests that no rule decides. In words. */
  @ApiProperty()
  otherwise: string;

  @ApiProperty()
  limits: AgentLimits;

  @ApiProperty()
  links: AgentLinks;
}

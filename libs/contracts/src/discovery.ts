import { ApiProperty } from '@nestjs/swagger';

/** One of an agent's services, as the agent may know it. */
export class AgentService {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  /** Every `targetUrl` for this service is below it. */
  @ApiProperty({ format: 'uri', example: 'https://api.example.com/v1' })
  baseUrl: string;

  /** The same through the gateway, for programs that can only change a base URL. */
  @ApiProperty({ format: 'uri', example: 'https://gateway.example/s/Shop' })
  gatewayBaseUrl: string;

  /** Headers that the gateway adds, in lower case: do not send your own. */
  @ApiProperty({ type: [String], example: ['authorization'] })
  credentialHeaders: string[];

  /** Whether documentation is attached, to be searched through `POST /mcp`. */
  @ApiProperty()
  documented: boolean;

  /** The rules for this agent in words, those with the most force first. */
  @ApiProperty({
    type: [String],
    example: ['DELETE requests: held until a human approves (rule "Ask before DELETE")'],
  })
  rules: string[];
}

export class AgentLimits {
  /** Requests that no rule decides are held from this risk score on. */
  @ApiProperty({ example: 0.5 })
  riskThreshold: number;

  /** Of a body, each way. */
  @ApiProperty({ example: 10_485_760 })
  bodyBytes: number;

  @ApiProperty({ example: 30 })
  upstreamTimeoutSeconds: number;

  @ApiProperty({ example: 500 })
  intentCharacters: number;

  @ApiProperty({ example: 8192 })
  targetUrlCharacters: number;

  /** The most that `Prefer: wait=N` takes. */
  @ApiProperty({ example: 60 })
  waitSeconds: number;

  /** How often to ask for a status without `Prefer: wait=N`. */
  @ApiProperty({ example: 8 })
  pollSeconds: number;

  /** After which a held request expires undecided. */
  @ApiProperty({ example: 24 })
  decideWithinHours: number;

  /** After which an approval expires unused. */
  @ApiProperty({ example: 1 })
  executeWithinHours: number;

  @ApiProperty({ example: 24 })
  idempotencyKeyHours: number;
}

/** Where to go, as absolute URLs; `{actionId}` is to be filled in. */
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

/** What an agent can know of itself: `GET /agent`. */
export class AgentDescription {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: [AgentService] })
  services: AgentService[];

  /** What happens to requests that no rule decides. */
  @ApiProperty()
  otherwise: string;

  @ApiProperty()
  limits: AgentLimits;

  @ApiProperty()
  links: AgentLinks;
}

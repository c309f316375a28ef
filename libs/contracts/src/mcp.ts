import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A JSON-RPC 2.0 message of the Model Context Protocol. A notification has no `id`. */
export class McpMessage {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc: '2.0';

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'integer' }] })
  id?: string | number;

  @ApiProperty({ example: 'tools/list' })
  method: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  params?: Record<string, unknown>;
}

/** The JSON-RPC 2.0 response. It has either `result` or `error`. */
export class McpAnswer {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc: '2.0';

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'integer' }] })
  id: string | number;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  result?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  error?: Record<string, unknown>;
}

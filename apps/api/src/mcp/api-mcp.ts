import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { McpAnswer, McpMessage } from '#contracts/mcp';
import { AGENT_KEY_SCHEME } from '../agents/agent-key-scheme.js';
import { ApiErrors } from '../platform/http/api-errors.js';

/** Documentation of `POST /mcp`. */
export const ApiMcp = (): MethodDecorator =>
  applyDecorators(
    ApiSecurity(AGENT_KEY_SCHEME),
    ApiOperation({
      summary: 'The gateway as an MCP server',
      description:
        'Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message per request. The agent key may ' +
        'come as `Authorization: Bearer agt_…` too. Tools: `list_services`, `search_docs`, `get_operation`, `request`, ' +
        '`get_action`, `execute_action`; none of them decides. A call that waits for a decision reports its progress as ' +
        'server-sent events, if it gave a `progressToken` and accepts them.',
    }),
    ApiHeader({
      name: 'Accept',
      required: false,
      schema: { type: 'string', example: 'application/json, text/event-stream' },
    }),
    ApiHeader({ name: 'MCP-Protocol-Version', required: false, schema: { type: 'string', example: '2025-11-25' } }),
    ApiBody({ type: McpMessage }),
    ApiResponse({
      status: 200,
      description: 'The JSON-RPC response. After progress events it is the last event',
      type: McpAnswer,
    }),
    ApiResponse({ status: 202, description: 'The response to a notification, without a body' }),
    ApiErrors(400, 401, 403, 406, 413, 415, 500, 503),
  );

/** Documentation of the methods of the transport that the gateway does not offer. */
export const ApiMcpPostOnly = (summary: string): MethodDecorator =>
  applyDecorators(ApiSecurity(AGENT_KEY_SCHEME), ApiOperation({ summary }), ApiErrors(401, 403, 405));

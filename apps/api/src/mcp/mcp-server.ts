import { Injectable } from '@nestjs/common';
import type { ServerOptions } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolRequest,
  CallToolResult,
  JSONRPCRequest,
  ServerNotification,
  ServerRequest,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { Request } from 'express';
import type { AgentView } from '../agents/agent-directory.js';
import { errors, type ApiError } from '../platform/errors.js';
import { toApiError } from '../platform/http/error-filter.js';
import { Log } from '../platform/logging.js';
import { packageVersion } from '../platform/package-version.js';
import { errorResult } from './tools/answer.js';
import { argumentFaults } from './arguments.js';
import type { HttpExchange } from './http-exchange.js';
import { loadSdk } from './load-sdk.js';
import { ANSWER } from './tools/schemas.js';
import { paramsFaults, withoutNulls } from './params.js';
import type { McpTool, ToolContext } from './tools/tool.js';
import { ExecuteAction } from './tools/execute-action.js';
import { GetAction } from './tools/get-action.js';
import { GetOperation } from './tools/get-operation.js';
import { ListServices } from './tools/list-services.js';
import { RequestTool } from './tools/request.js';
import { SearchDocs } from './tools/search-docs.js';

const INSTRUCTIONS =
  'This gateway connects you to HTTP APIs. It holds their credentials, and asks a human to approve risky requests. ' +
  'Call list_services to see the APIs that you can reach, search_docs and get_operation to learn how to call them, and request to send a request. ' +
  'PENDING_APPROVAL means that nothing has been sent yet: follow the field next (get_action until APPROVED, then execute_action once). ' +
  'On DENIED, EXPIRED or a refusal stop and tell your user; never try to reach the same goal by another request.';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** One JSON-RPC request and its caller. */
interface McpCall {
  message: JSONRPCRequest;
  agent: AgentView;
  request: Request;
  charge: ToolContext['charge'];
  /** Aborts when the caller hangs up or cancels. */
  gone: AbortSignal;
}

/** The tools behind the SDK's server. Each call gets a server of its own, because there are no sessions. */
@Injectable()
export class McpServer {
  private readonly info = { name: 'agent-gateway', title: 'Agent Gateway', version: packageVersion() };
  private readonly options: ServerOptions = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
  private readonly tools: ReadonlyMap<string, McpTool>;
  /** In the order of their use. */
  private readonly listed: Tool[];

  constructor(
    listServices: ListServices,
    searchDocs: SearchDocs,
    getOperation: GetOperation,
    request: RequestTool,
    getAction: GetAction,
    executeAction: ExecuteAction,
    private readonly log: Log,
  ) {
    const tools: McpTool[] = [listServices, searchDocs, getOperation, request, getAction, executeAction];
    this.listed = tools.map(({ definition }) => definition);
    this.tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
  }

  /** Answers the request over the exchange, immediately or later. */
  async answer(call: McpCall, exchange: HttpExchange): Promise<void> {
    const sdk = await loadSdk();
    const faults = paramsFaults(call.message, sdk);
    if (faults.length > 0) {
      const error = { code: sdk.ErrorCode.InvalidParams, message: faults.join('; ') };
      return exchange.send({ jsonrpc: '2.0', id: call.message.id, error });
    }
    const { AjvJsonSchemaValidator, CallToolRequestSchema, ListToolsRequestSchema, Server } = sdk;
    // Never used, because no tool elicits input. But a server without a validator builds its own, which costs more than
    // the whole call.
    this.options.jsonSchemaValidator ??= new AjvJsonSchemaValidator();
    const server = new Server(this.info, this.options);
    server.onerror = (err) => this.log.warn({ err, requestId: call.request.requestId }, 'MCP');
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.listed }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => this.callTool(params, call, extra));
    await server.connect(exchange);
    exchange.onmessage?.(call.message);
  }

  private async callTool(
    { name, arguments: raw = {} }: CallToolRequest['params'],
    { agent, request, charge, gone }: McpCall,
    extra: Extra,
  ): Promise<CallToolResult> {
    const tool = this.tools.get(name);
    if (tool === undefined) {
      const { ErrorCode, McpError } = await loadSdk();
      const names = [...this.tools.keys()].join(', ');
      throw new McpError(
        ErrorCode.InvalidParams,
        `Unknown tool ${JSON.stringify(name.slice(0, 64))}; the tools are ${names}`,
      );
    }
    const given = withoutNulls(raw);
    const { requestId, agentLoad, answerRoom: room } = request;
    const { bodyMaxBytes } = agentLoad;
    const progress = progressTo(extra);
    const context: ToolContext = { agent, bodyMaxBytes, charge, requestId, room, gone, handle: {}, progress };
    try {
      const faults = argumentFaults(tool.definition, given);
      if (faults.length > 0) throw errors.invalid(faults.join('; '));
      return await room.during(() => tool.run(given, context));
    } catch (thrown) {
      return this.failed(tool, context, toApiError(thrown, request));
    }
  }

  private failed({ definition }: McpTool, { requestId, handle }: ToolContext, error: ApiError): CallToolResult {
    if (error.statusCode >= 500) {
      this.log.error({ requestId, err: error.cause ?? error, status: error.statusCode }, error.message);
    }
    const { structuredContent, ...result } = errorResult(error, handle);
    return definition.outputSchema === ANSWER ? { ...result, structuredContent } : result;
  }
}

/** Reports progress, if the caller gave a token. */
function progressTo(extra: Extra): ToolContext['progress'] {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  return (progress, total, message) => {
    const params = { progressToken, progress, total, message };
    // The notification fails if the caller is gone. Its call ends for that reason anyway.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

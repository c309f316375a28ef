import { Controller, Delete, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { AgentDirectory } from '../agents/agent-directory.js';
import { BearerAgentKeyGuard } from '../agents/bearer-agent-key.js';
import { HttpConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { charging } from '../platform/http/body-budget.js';
import { ApiMcp, ApiMcpPostOnly } from './api-mcp.js';
import { CallsInFlight } from './calls-in-flight.js';
import { HttpExchange } from './http-exchange.js';
import { acceptsEvents, assertMcpRequest } from './http-rules.js';
import { loadSdk } from './load-sdk.js';
import { McpServer } from './mcp-server.js';
import { withoutNulls } from './params.js';
import type * as Sdk from './sdk.js';

/** MCP over Streamable HTTP without sessions: each message is a POST, and any instance may answer it. */
@ApiTags('Agents: MCP')
@Controller('mcp')
@UseGuards(BearerAgentKeyGuard)
export class McpController {
  constructor(
    private readonly server: McpServer,
    private readonly calls: CallsInFlight,
    private readonly agents: AgentDirectory,
    private readonly config: HttpConfig,
  ) {}

  @Post()
  @ApiMcp()
  async message(@Req() request: Request, @Res() response: Response): Promise<void> {
    const sdk = await loadSdk();
    assertMcpRequest(request, this.config, sdk.SUPPORTED_PROTOCOL_VERSIONS);
    const message = parse(request.body as object, sdk);
    if (isRequest(message)) await this.answer(message, request, response);
    else {
      this.notified(request.agent.id, message);
      response.status(202).end();
    }
  }

  @Get()
  @ApiMcpPostOnly('Not offered: there is no stream of messages from the server')
  stream(): void {
    throw postOnly('there is no stream of messages from the server');
  }

  @Delete()
  @ApiMcpPostOnly('Not offered: there are no sessions to end')
  end(): void {
    throw postOnly('there are no sessions to end');
  }

  private async answer(message: JSONRPCRequest, request: Request, response: Response): Promise<void> {
    // The caller may have hung up before this call. The event does not fire again.
    if (response.closed) return;
    const call = new AbortController();
    const done = this.calls.add(request.agent.id, message.id, call);
    response.once('close', () => {
      done();
      if (!response.writableFinished) call.abort();
    });
    // The other tools have no check that their view is current, so they get a fresh one.
    const agent = forwards(message) ? request.agent : await this.agents.latest(request.agent);
    const exchange = new HttpExchange(response, acceptsEvents(request));
    const charge = charging(request.agentLoad, response);
    await this.server.answer({ message, agent, request, charge, gone: call.signal }, exchange);
  }

  /** Handles a notification. The only one that matters cancels a call. */
  private notified(agentId: number, message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    this.calls.cancel(agentId, message.params?.requestId);
  }
}

const FIELDS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Drops unknown fields, like every endpoint. */
function parse(body: object, { JSONRPCMessageSchema }: typeof Sdk): JSONRPCMessage {
  const message = Object.fromEntries(Object.entries(body).filter(([name]) => FIELDS.has(name)));
  if (typeof message.params === 'object' && !Array.isArray(message.params))
    message.params = readParams(message.params as object | null);
  const parsed = JSONRPCMessageSchema.safeParse(message);
  if (parsed.success) return parsed.data;
  const { id, params } = message;
  const hasId = typeof id === 'string' || Number.isInteger(id);
  // Otherwise it is a request whose params have a wrong form, which `answer` says in words.
  const bare = hasId && JSONRPCMessageSchema.safeParse({ ...message, params: undefined });
  if (bare && bare.success && isRequest(bare.data)) return { ...bare.data, params: params as JSONRPCRequest['params'] };
  throw errors.invalid('Request body must be one JSON-RPC 2.0 message');
}

/** Null counts as absent. A client may ask for a task, which the gateway does not offer; the protocol says to ignore that. */
function readParams(params: object | null): object | undefined {
  if (params === null) return undefined;
  const { task: _task, ...rest } = withoutNulls(params as Record<string, unknown>);
  return rest;
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

/** The tool on the hot path. Its audit record is written only under the configuration of the assessment. */
const forwards = ({ method, params }: JSONRPCRequest): boolean => method === 'tools/call' && params?.name === 'request';

const postOnly = (reason: string): ApiError =>
  new ApiError(405, `Method not allowed: ${reason}; send each message as POST /mcp`, { headers: { Allow: 'POST' } });

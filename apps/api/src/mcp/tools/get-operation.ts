import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { HTTP_METHODS, TARGET_URL_MAX } from '#contracts';
import { ApiError } from '../../platform/errors.js';
import { resolveService } from '../../proxy/service-resolution.js';
import { DocumentationReader } from '../../documentation/documentation-reader.js';
import { OperationIndex } from '../../documentation/operation-index.js';
import { operationUrl } from '../../documentation/operation-url.js';
import { toolResult, type McpTool, type ToolArguments, type ToolContext } from './tool.js';

const DOCUMENTATION_CHARS = 8_000;

@Injectable()
export class GetOperation implements McpTool {
  readonly definition: Tool = {
    name: 'get_operation',
    title: 'Read the documentation of one operation',
    description:
      'Returns what the documentation says about one operation: parameters, request body, responses, notes. Call it before your ' +
      'first request of a kind.',
    inputSchema: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: [...HTTP_METHODS] },
        url: {
          type: 'string',
          minLength: 1,
          maxLength: TARGET_URL_MAX,
          description: 'A url from search_docs, with its {parameters}, or the targetUrl you want to call',
        },
        tool: {
          type: 'string',
          minLength: 1,
          maxLength: 128,
          description: 'The tool from search_docs, if it named one',
        },
      },
      required: ['method', 'url'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        service: { type: 'string' },
        method: { type: 'string' },
        url: { type: 'string', description: 'With its {parameters}: fill them in to get a targetUrl' },
        operationId: { type: ['string', 'null'] },
        summary: { type: ['string', 'null'] },
        documentation: {
          type: 'string',
          description: "The operation's part of the OpenAPI document as JSON, then notes",
        },
      },
      required: ['service', 'method', 'url', 'operationId', 'summary', 'documentation'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };

  constructor(
    private readonly operations: OperationIndex,
    private readonly reader: DocumentationReader,
  ) {}

  async run(given: ToolArguments, { agent }: ToolContext): Promise<CallToolResult> {
    const { method, url, tool } = given as { method: string; url: string; tool?: string };
    const tools = tool === undefined ? [] : [tool];
    const service = resolveService(agent, url);
    const operation = await this.operations.match(service, method, url, tools);
    if (operation === null) {
      throw new ApiError(
        404,
        `No documented operation of "${service.name}" fits ${method} ${url}${tool === undefined ? '' : ` with the tool "${tool}"`}: use search_docs`,
      );
    }
    return toolResult({
      service: service.name,
      method,
      url: operationUrl(service.baseUrl, operation),
      operationId: operation.operationId,
      summary: operation.summary,
      documentation: await this.reader.documentationFor(agent.id, service, method, url, DOCUMENTATION_CHARS, tools),
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { errors } from '../../platform/errors.js';
import { DocumentationReader } from '../../documentation/documentation-reader.js';
import { DocumentationSearch } from '../../documentation/documentation-search.js';
import { operationUrl } from '../../documentation/operation-url.js';
import { noteTerms } from '../../documentation/search-words.js';
import type { ServiceView } from '../../service-view/service-view.js';
import { toolResult, type McpTool, type ToolArguments, type ToolContext } from './tool.js';

const LIMIT_DEFAULT = 10;
const NOTES_CHARS = 4_000;

@Injectable()
export class SearchDocs implements McpTool {
  readonly definition: Tool = {
    name: 'search_docs',
    title: 'Search the documentation of your APIs',
    description:
      'Finds operations of your APIs by words, and notes that mention them. Call it when you do not know which URL does what ' +
      'you want; then get_operation for the parameters.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'What you want to do, in a few words, e.g. "create an order". At most 8 words count',
        },
        service: { type: 'string', minLength: 1, maxLength: 255, description: 'Name of one service; default: all' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 50,
          default: LIMIT_DEFAULT,
          description: 'The most operations to return',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        operations: {
          type: 'array',
          description: 'The best first',
          items: {
            type: 'object',
            properties: {
              service: { type: 'string' },
              method: { type: 'string' },
              url: { type: 'string', description: 'For get_operation; fill in the {parameters} to get a targetUrl' },
              tool: { type: 'string', description: 'The tool of an MCP server; call it by tools/call at url' },
              summary: { type: ['string', 'null'] },
            },
            required: ['service', 'method', 'url', 'summary'],
          },
        },
        notes: {
          type: 'array',
          items: {
            type: 'object',
            properties: { service: { type: 'string' }, text: { type: 'string' } },
            required: ['service', 'text'],
          },
        },
        next: { type: 'string' },
      },
      required: ['operations', 'notes', 'next'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };

  constructor(
    private readonly search: DocumentationSearch,
    private readonly reader: DocumentationReader,
  ) {}

  async run(given: ToolArguments, { agent }: ToolContext): Promise<CallToolResult> {
    const {
      query,
      service: name,
      limit = LIMIT_DEFAULT,
    } = given as { query: string; service?: string; limit?: number };
    const services = name === undefined ? agent.services : named(agent.services, name);
    const operations = (await this.search.operations(agent.id, services, query, limit)).map((found) => {
      const service = services.find(({ id }) => id === found.serviceId)!;
      const { method, path, operationId, summary } = found;
      const tool = path === '' && operationId !== null ? { tool: operationId } : {};
      return { service: service.name, method, url: operationUrl(service.baseUrl, found), ...tool, summary };
    });
    const notes = await this.notes(agent.id, services, query);
    return toolResult({ operations, notes, next: nextStep(services, operations.length + notes.length) });
  }

  private async notes(
    agentId: number,
    services: readonly ServiceView[],
    query: string,
  ): Promise<{ service: string; text: string }[]> {
    const terms = noteTerms(query);
    const notes: { service: string; text: string }[] = [];
    let left = NOTES_CHARS;
    for (const service of services) {
      const text = left > 0 ? await this.reader.sectionsAbout(agentId, service, terms, left) : '';
      if (text !== '') notes.push({ service: service.name, text });
      left -= text.length;
    }
    return notes;
  }
}

function named(services: readonly ServiceView[], name: string): ServiceView[] {
  const found = services.filter((service) => service.name.toLowerCase() === name.toLowerCase());
  if (found.length > 0) return found;
  const names = services.map((service) => `"${service.name}"`).join(', ');
  throw errors.invalid(`service: you have no service with that name; yours are ${names || 'none'}`);
}

function nextStep(services: readonly ServiceView[], found: number): string {
  if (found > 0) return 'Call get_operation with a method and url from here to see its parameters, then request.';
  return services.some(({ documentIds }) => documentIds.length > 0)
    ? 'Nothing mentions these words. Try others, e.g. the name of the thing alone.'
    : 'No documentation is attached. Use what you know of the API, below its base URL (see list_services).';
}

import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { Clock } from '../../platform/clock.js';
import { RiskConfig } from '../../platform/config.js';
import { rulesInWords } from '../../rules/rule-words.js';
import { toolResult, type McpTool, type ToolArguments, type ToolContext } from './tool.js';

@Injectable()
export class ListServices implements McpTool {
  readonly definition: Tool = {
    name: 'list_services',
    title: 'List the APIs you may reach',
    description:
      'Lists the APIs (services) that you may reach through this gateway: name, base URL, whether documentation is attached, ' +
      'and the rules for your requests in words. Call it first: other URLs are refused.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: 'Your name' },
        services: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              baseUrl: { type: 'string', description: 'Your targetUrls must be below it' },
              documented: { type: 'boolean', description: 'search_docs and get_operation cover it' },
              rules: {
                type: 'array',
                items: { type: 'string' },
                description: 'The first that matches a request decides',
              },
            },
            required: ['name', 'baseUrl', 'documented', 'rules'],
          },
        },
        otherwise: { type: 'string', description: 'What happens to requests that no rule decides' },
      },
      required: ['agent', 'services', 'otherwise'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };

  constructor(
    private readonly clock: Clock,
    private readonly risk: RiskConfig,
  ) {}

  async run(_given: ToolArguments, { agent }: ToolContext): Promise<CallToolResult> {
    const nowMs = this.clock.nowMs();
    return toolResult({
      agent: agent.name,
      services: agent.services.map(({ name, baseUrl, documentIds, rules }) => ({
        name,
        baseUrl,
        documented: documentIds.length > 0,
        rules: rulesInWords(rules, agent.id, nowMs),
      })),
      otherwise:
        `Every other request gets a risk score from 0 to 1. Below ${this.risk.threshold} it is sent immediately; ` +
        `from ${this.risk.threshold} on it is held until a human approves.`,
    });
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  HTTP_METHODS,
  IDEMPOTENCY_KEY_MAX,
  INTENT_MAX,
  TARGET_URL_MAX,
  type HttpMethod,
  type ProxyRequestBody,
} from '#contracts';
import { isRepeatable } from '../../egress/repeatable.js';
import { Clock } from '../../platform/clock.js';
import { RequestCounter } from '../../proxy/request-counter.js';
import { ProxyPipeline } from '../../proxy/proxy-pipeline.js';
import { toProxyCall, type CallTerms } from '../../proxy/to-proxy-call.js';
import { outcomeResult } from './answer.js';
import { ANSWER, BODY_DEFAULT_CHARS, maxBodyChars, WAIT_DEFAULT_SECONDS, waitSeconds } from './schemas.js';
import type { McpTool, ToolArguments, ToolContext } from './tool.js';
import { WaitReporter } from './wait-reporter.js';

interface Arguments extends ProxyRequestBody {
  method: HttpMethod;
  waitSeconds?: number;
  maxBodyChars?: number;
}

@Injectable()
export class RequestTool implements McpTool {
  readonly definition: Tool = {
    name: 'request',
    title: 'Send a request to an API',
    description:
      'Sends one HTTP request to an API of yours; the gateway adds the credentials. Low risk: the response of the API comes back ' +
      '(FORWARDED). High risk: it is held, nothing is sent, and this call waits for a human to decide. If approved in time, it is ' +
      'sent and its response is returned here (EXECUTED); otherwise follow next (PENDING_APPROVAL). For POST and PATCH give an idempotencyKey of your ' +
      'own and repeat it on every retry: one key is sent once. Without one, a key is created and returned.',
    inputSchema: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: [...HTTP_METHODS] },
        targetUrl: {
          type: 'string',
          minLength: 1,
          maxLength: TARGET_URL_MAX,
          description: 'Absolute URL with its query, below the baseUrl of one of your services (list_services)',
        },
        intent: {
          type: 'string',
          minLength: 1,
          maxLength: INTENT_MAX,
          description: 'What you want and why, truthfully, in one sentence: the approver reads it',
        },
        headers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Request headers. No credentials: those are dropped',
        },
        body: {
          type: 'string',
          description: 'Request body as text, e.g. serialised JSON. Not on GET and HEAD',
        },
        bodyBase64: {
          type: 'string',
          description: 'In place of body: bytes that are not text, such as an image, in base64 with padding',
        },
        idempotencyKey: {
          type: 'string',
          minLength: 1,
          maxLength: IDEMPOTENCY_KEY_MAX,
          description:
            'For POST and PATCH: the same on every retry of this request, a different one for a different request',
        },
        waitSeconds,
        maxBodyChars,
      },
      required: ['method', 'targetUrl', 'intent'],
      additionalProperties: false,
    },
    outputSchema: ANSWER,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  };

  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly counter: RequestCounter,
    private readonly clock: Clock,
  ) {}

  async run(given: ToolArguments, context: ToolContext): Promise<CallToolResult> {
    const {
      waitSeconds: seconds = WAIT_DEFAULT_SECONDS,
      maxBodyChars: chars = BODY_DEFAULT_CHARS,
      ...body
    } = given as unknown as Arguments;
    const { agent, bodyMaxBytes, charge, requestId, room, gone, handle } = context;
    if (!isRepeatable(body.method)) body.idempotencyKey ??= randomUUID();
    if (body.idempotencyKey !== undefined) handle.idempotencyKey = body.idempotencyKey;

    const reporter = new WaitReporter(context, this.clock, seconds);
    try {
      const terms: CallTerms = {
        requestId,
        room,
        waitSeconds: seconds,
        dryRun: false,
        gone: () => gone,
        onHeld: (action) => {
          handle.actionId = action.id;
          reporter.waitingFor(action);
        },
      };
      const outcome = await this.counter.count('mcp', agent, async () => {
        const call = await toProxyCall(body, null, terms, { maxBytes: bodyMaxBytes, charge });
        return this.pipeline.send(agent, () => call, requestId);
      });
      return outcomeResult(outcome, chars, handle);
    } finally {
      reporter.stop();
    }
  }
}

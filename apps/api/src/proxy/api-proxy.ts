import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  DryRunResponse,
  HeldResponse,
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENCY_KEY_MAX,
  IDEMPOTENCY_STATUS_HEADER,
  POLL_INTERVAL_SECONDS,
  PREFER_WAIT_MAX_SECONDS,
  PROXY_STATUS_HEADER,
  ProxyRequestBody,
  STATUS_RESPONSES,
} from '#contracts';
import { AGENT_KEY_SCHEME } from '../agents/agent-key-scheme.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { ANSWERS, HELD, REQUESTS, STATUSES } from './api-examples.js';

const WAIT = `\`wait=N\`, 1 to ${PREFER_WAIT_MAX_SECONDS} seconds (RFC 7240): wait for the decision in this call`;

const prefer = ApiHeader({
  name: 'Prefer',
  description: WAIT,
  required: false,
  schema: { type: 'string', example: 'wait=60' },
});

const proxyStatus = {
  description:
    'Present: the upstream answered. Absent: the gateway did. dry-run: nothing was sent, the answer is a decision',
  schema: { type: 'string' as const, enum: ['forwarded', 'executed-approved', 'dry-run'] },
};
const anyContent = { '*/*': { schema: { description: "The upstream's own bytes" } } };
export const upstreamAnswer = ApiResponse({
  status: 'default',
  description: 'The answer of the upstream with any status: status, headers and bytes unchanged (see X-Proxy-Status)',
  headers: { [PROXY_STATUS_HEADER]: proxyStatus },
  content: anyContent,
});

export const idempotencyKey = ApiHeader({
  name: IDEMPOTENCY_KEY_HEADER,
  description: 'Required for POST and PATCH, here or in the body of `POST /proxy`',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX },
});

export const preferAny = ApiHeader({
  name: 'Prefer',
  description: `${WAIT}; \`handling=dry-run\`: predict what would happen to the request (DryRunResponse), and send nothing`,
  required: false,
  schema: { type: 'string', example: 'wait=60' },
});

export const answered = ApiResponse({
  status: 200,
  description: "The upstream's answer (any other status of it comes the same way); of a dry run, a DryRunResponse",
  headers: {
    [PROXY_STATUS_HEADER]: proxyStatus,
    [IDEMPOTENCY_STATUS_HEADER]: {
      description: 'Present on every request with an idempotency key',
      schema: { type: 'string', enum: ['processed'] },
    },
  },
  content: { '*/*': { ...anyContent['*/*'], examples: ANSWERS } },
});

export const held = ApiResponse({
  status: 428,
  description: 'Held: nothing was sent, a human must decide',
  type: HeldResponse,
  example: HELD,
  headers: {
    'Retry-After': { description: 'Seconds', schema: { type: 'string', example: String(POLL_INTERVAL_SECONDS) } },
    'Preference-Applied': { description: 'Present if the call asked to wait', schema: { type: 'string' } },
  },
});

/** Documentation of `POST /proxy`. */
export const ApiProxy = (): MethodDecorator =>
  applyDecorators(
    ApiSecurity(AGENT_KEY_SCHEME),
    ApiOperation({
      summary: 'Send a request through the gateway',
      description:
        'Forwards the request with the real credentials and returns the answer of the upstream as it is, or, when it is ' +
        'risky, holds it and answers 428 until a human has approved it.',
    }),
    ApiBody({ type: ProxyRequestBody, examples: REQUESTS }),
    idempotencyKey,
    preferAny,
    ApiExtraModels(DryRunResponse),
    answered,
    upstreamAnswer,
    held,
    ApiErrors(400, 401, 403, 404, 409, 413, 415, 422, 500, 502, 503, 504),
  );

/** Documentation of `POST /proxy/execute/:actionId`. */
export const ApiExecute = (): MethodDecorator =>
  applyDecorators(
    ApiSecurity(AGENT_KEY_SCHEME),
    ApiOperation({
      summary: 'Execute an approved action, once',
      description:
        'If several calls arrive, one is forwarded and the others get 409. The answer is like that of POST /proxy.',
    }),
    ApiResponse({
      status: 200,
      description: "The upstream's answer (any other status of it comes the same way)",
      headers: { [PROXY_STATUS_HEADER]: proxyStatus },
      content: anyContent,
    }),
    upstreamAnswer,
    ApiErrors(401, 403, 404, 409, 410, 413, 500, 502, 503, 504),
  );

/** Documentation of `GET /status/:actionId`. */
export const ApiStatus = (): MethodDecorator =>
  applyDecorators(
    ApiSecurity(AGENT_KEY_SCHEME),
    ApiOperation({ summary: 'Get the state of a held request' }),
    prefer,
    ApiExtraModels(...STATUS_RESPONSES),
    ApiOkResponse({
      content: {
        'application/json': {
          schema: { oneOf: STATUS_RESPONSES.map((type) => ({ $ref: getSchemaPath(type) })) },
          examples: STATUSES,
        },
      },
      headers: {
        'Retry-After': { description: 'Seconds; while PENDING', schema: { type: 'string' } },
        'Preference-Applied': { description: 'Present if the call asked to wait', schema: { type: 'string' } },
      },
    }),
    ApiErrors(401, 403, 404, 500, 503),
  );

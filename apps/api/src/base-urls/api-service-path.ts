import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiSecurity } from '@nestjs/swagger';
import { INTENT_MAX } from '#contracts';
import { AGENT_KEY_SCHEME } from '../agents/agent-key-scheme.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { answered, held, idempotencyKey, preferAny, upstreamAnswer } from '../proxy/api-proxy.js';

/** Documentation of the endpoints below `/s/<service>`. */
export const ApiServicePath = (): MethodDecorator =>
  applyDecorators(
    ApiSecurity(AGENT_KEY_SCHEME),
    ApiOperation({
      summary: 'Send a request below the base URL of a service',
      description:
        'For programs that can only change a base URL: the method, the path and query below `/s/<service>`, the headers and the ' +
        'body go through the gateway as if sent by `POST /proxy`. The agent key may come in ' +
        '`Agent-Key`, `Authorization` (Bearer, token, Bot, or either half of Basic), `X-Api-Key`, `api-key`, `x-goog-api-key` or ' +
        "`PRIVATE-TOKEN`. The service's name may be followed by `;wait=N` and `;idempotency=none` or `;idempotency=required`.",
    }),
    ApiParam({ name: 'service', description: 'The name of one of your services', schema: { type: 'string' } }),
    ApiParam({ name: 'path', description: 'Path below its base URL, with its query', schema: { type: 'string' } }),
    ApiHeader({
      name: 'X-Intent',
      description: 'What you want, in plain words. A request without it counts as riskier',
      required: false,
      schema: { type: 'string', maxLength: INTENT_MAX },
    }),
    idempotencyKey,
    preferAny,
    answered,
    upstreamAnswer,
    held,
    ApiErrors(400, 401, 403, 404, 409, 413, 415, 422, 500, 502, 503, 504),
  );

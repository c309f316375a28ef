import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { PREFER_WAIT_MAX_SECONDS } from '#contracts';

export const WAIT_DEFAULT_SECONDS = 55;
export const BODY_DEFAULT_CHARS = 20_000;
const BODY_MAX_CHARS = 200_000;

export const waitSeconds = {
  type: 'integer',
  minimum: 0,
  maximum: PREFER_WAIT_MAX_SECONDS,
  default: WAIT_DEFAULT_SECONDS,
  description: 'How long to wait for the human decision in this call. 0: do not wait',
} as const;

export const maxBodyChars = {
  type: 'integer',
  minimum: 1,
  maximum: BODY_MAX_CHARS,
  default: BODY_DEFAULT_CHARS,
  description: 'Characters of the response body to return; more are cut off',
} as const;

export const actionId = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'The actionId of an earlier result',
} as const;

/** The output of `request`, `get_action` and `execute_action`. */
export const ANSWER: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: ['FORWARDED', 'EXECUTED', 'PENDING_APPROVAL', 'APPROVED', 'DENIED', 'EXPIRED', 'ERROR'],
      description:
        'FORWARDED, EXECUTED (after an approval): the API answered, see response. PENDING_APPROVAL: held for a human. ' +
        'APPROVED: may be executed now. DENIED, EXPIRED: will not happen. ERROR: see error',
    },
    executed: {
      type: ['boolean', 'null'],
      description:
        'true: the API answered. false: nothing was sent. null: sent, but nobody knows whether it was carried out',
    },
    response: {
      type: 'object',
      description: "The API's own answer; its status may be an error of the API",
      properties: {
        status: { type: 'integer' },
        headers: { type: 'object' },
        body: { type: 'string' },
        bodyEncoding: { type: 'string', enum: ['base64'], description: 'Present when the body is not text' },
        bodyTruncated: { type: 'boolean' },
        bodyChars: { type: 'integer', description: 'Length of the whole body, when it was cut' },
      },
      required: ['status', 'headers', 'body'],
    },
    actionId: { type: 'string', description: 'The id of a held request, for get_action and execute_action' },
    idempotencyKey: { type: 'string', description: 'Repeat it when you retry this same request' },
    summary: { type: 'string', description: 'What the held request would do' },
    riskScore: { type: 'number' },
    riskExplanation: { type: 'string' },
    expiresAt: {
      type: 'string',
      description: 'The end of the time to decide (PENDING_APPROVAL) or to execute (APPROVED)',
    },
    note: { type: 'string', description: 'What the approver tells you' },
    error: { type: 'string' },
    statusCode: { type: 'integer', description: 'The HTTP status of the error' },
    errorCode: { type: 'string', description: 'The stable name of the error' },
    next: { type: 'string', description: 'What to do now. Follow it' },
  },
  required: ['status', 'executed'],
};

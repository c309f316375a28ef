import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_CODE_HEADER, REQUEST_ID_HEADER } from '#contracts/headers';
import { HTTP_METHODS } from '#contracts/states';
import { ApiError } from '../errors.js';

/** Responses for some of Node's parser error codes. All other codes mean a malformed request. */
const PARSER_REFUSALS: Record<string, [status: number, error: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request header fields are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
};

/**
 * Responds to malformed requests with the common error body too (docs/reference/http.md#malformed). Node would respond
 * without a body.
 */
export function answerMalformedRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse }) => {
    // If the head of another response was already sent, the client would read this one as part of that response's body.
    const silent = !socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent;
    if (silent) socket.destroy();
    else refuse(socket, ...(PARSER_REFUSALS[error.code ?? ''] ?? [400, 'Malformed HTTP request']));
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuse(socket, 405, 'CONNECT is not supported'));
  server.on('checkExpectation', ({ socket }: IncomingMessage) => refuse(socket, 417, 'Expectation is not supported'));
}

function refuse(socket: Duplex, statusCode: number, error: string): void {
  const { code } = new ApiError(statusCode, error);
  const body = JSON.stringify({ error, statusCode });
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `${REQUEST_ID_HEADER}: ${randomUUID()}`,
    `${ERROR_CODE_HEADER}: ${code}`,
    ...(statusCode === 405 ? [`Allow: ${HTTP_METHODS.join(', ')}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

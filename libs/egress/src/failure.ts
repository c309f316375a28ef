import { PRIVATE_ADDRESS_MESSAGE } from './target.js';

/**
 * `refused_address`: the name resolves to an address that is not public. `not_sent`: the request was not sent (DNS,
 * connect, TLS, malformed request). `no_answer`: it was sent, but no usable response arrived. `timeout` and
 * `too_large`: a limit was exceeded.
 */
type EgressFailureKind = 'refused_address' | 'not_sent' | 'no_answer' | 'timeout' | 'too_large';

/** A request that got no usable response. */
export class EgressFailure extends Error {
  override readonly name = 'EgressFailure';
  /** The status of a response that broke off after its head; null: no status arrived. */
  status: number | null = null;

  constructor(
    readonly kind: EgressFailureKind,
    /** Whether any byte of the request may have reached the upstream. false means that certainly none did. */
    readonly sent: boolean,
    /** A short text for people, without a stack trace and without resolved addresses. */
    readonly reason: string,
    cause?: unknown,
  ) {
    super(reason, cause === undefined ? undefined : { cause });
  }
}

/** Passed to the connecting socket, so that undici returns it as the error of the request. */
export class RefusedAddressError extends Error {
  readonly code = 'EGRESS_REFUSED_ADDRESS';
}

const REASONS: Record<string, string> = {
  ENOTFOUND: 'host name could not be resolved',
  ENODATA: 'host name could not be resolved',
  EAI_AGAIN: 'host name could not be resolved',
  EAI_FAIL: 'host name could not be resolved',
  ESERVFAIL: 'host name could not be resolved',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'host is unreachable',
  ENETUNREACH: 'host is unreachable',
  EADDRNOTAVAIL: 'host is unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  ECONNRESET: 'connection was reset',
  UPSTREAM_RESET: 'connection was reset',
  EPIPE: 'connection was closed',
  UND_ERR_SOCKET: 'connection was closed',
  UND_ERR_HEADERS_OVERFLOW: 'response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'response is not as long as its Content-Length',
  UND_ERR_INVALID_ARG: 'request could not be written',
  UND_ERR_NOT_SUPPORTED: 'request could not be written',
  UND_ERR_DESTROYED: 'gateway is shutting down',
  UND_ERR_CLOSED: 'gateway is shutting down',
};

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|EPROTO)/;

/** Converts a connection, TLS or parser error. The caller passes whether the request was sent. */
export function failureFrom(error: unknown, sent: boolean): EgressFailure {
  if (error instanceof EgressFailure) return error;
  const code = readCode(error);
  if (code === 'EGRESS_REFUSED_ADDRESS')
    return new EgressFailure('refused_address', sent, PRIVATE_ADDRESS_MESSAGE, error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new EgressFailure('timeout', sent, REASONS[code], error);
  return new EgressFailure(sent ? 'no_answer' : 'not_sent', sent, reasonFor(code, sent), error);
}

function reasonFor(code: string, sent: boolean): string {
  if (REASONS[code]) return REASONS[code];
  if (code.startsWith('HPE_')) return 'response is not valid HTTP';
  if (TLS_CODE.test(code)) return `TLS connection failed (${code})`;
  return sent ? 'no valid response' : 'connection failed';
}

function readCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

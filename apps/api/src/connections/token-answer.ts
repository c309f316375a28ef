import { isRejected, readError } from './token-error.js';
import { ProviderFailure } from './provider-failure.js';

/** Ten years. */
const LIFETIME_MAX_SECONDS = 10 * 365 * 24 * 3600;
/** More than any provider grants to one client. */
const SCOPES_KEPT = 200;

/** The tokens that a provider gave. Lifetimes are in seconds. */
export interface TokenSet {
  accessToken: string;
  /** Null: none came, so the older one stays valid. */
  refreshToken: string | null;
  /** Null: the provider does not say. */
  expiresIn: number | null;
  refreshExpiresIn: number | null;
  /** Null: the scopes that were requested. */
  scopes: string[] | null;
}

/**
 * Reads the answer of a token endpoint (RFC 6749, section 5). Some providers deviate from the standard form, and the
 * tokens in an answer may be the only valid ones. So an access token is accepted whatever the other members contain. A
 * member that can't be read counts as absent. The type of the token and the identity of the person are not needed.
 * @param redirectUri named in the error if the provider does not accept it
 * @throws ProviderFailure
 */
export function readTokenAnswer(status: number, body: Uint8Array, redirectUri?: string): TokenSet {
  if (status >= 300 && status < 400) {
    throw new ProviderFailure('failed', `The token endpoint answered with a redirect (${status}): correct tokenUrl`, {
      status,
    });
  }
  const answer = parsed(body);
  if (answer === null) {
    throw new ProviderFailure('failed', `The token endpoint answered ${status} without a JSON object`, { status });
  }
  const accessToken = status >= 200 && status < 300 ? textIn(answer.access_token) : null;
  if (accessToken === null) throw refusal(status, answer, redirectUri);
  if (!/^[\x21-\x7e]{1,16384}$/.test(accessToken)) {
    throw new ProviderFailure('failed', 'The token endpoint sent an access token that no header can carry', { status });
  }
  return {
    accessToken,
    refreshToken: textIn(answer.refresh_token),
    expiresIn: lifetime(answer.expires_in),
    refreshExpiresIn: lifetime(answer.refresh_token_expires_in) ?? lifetime(answer.refresh_expires_in),
    scopes: scopesIn(answer.scope),
  };
}

function refusal(status: number, answer: Record<string, unknown>, redirectUri: string | undefined): ProviderFailure {
  const error = readError(answer);
  if (error.code === null && status < 300) {
    return new ProviderFailure('failed', 'The token endpoint sent no usable answer', { status });
  }
  const { code, shown } = error;
  const hint = redirectUri !== undefined && error.isAboutRedirect ? redirectHint(redirectUri) : '';
  // A code that came with the wrong URI is no refusal of the person.
  const kind = hint === '' && isRejected(status, error) ? 'rejected' : 'failed';
  return new ProviderFailure(kind, `The provider answered ${status} ${shown}${hint}`, {
    code: code ?? undefined,
    status,
  });
}

export const redirectHint = (redirectUri: string): string =>
  `: it does not accept the redirect URI ${redirectUri}. Enter exactly this one at the provider`;

/** Null: not an object. Some providers answer in the form of a query, and some begin with a byte order mark. */
function parsed(body: Uint8Array): Record<string, unknown> | null {
  const text = new TextDecoder().decode(body).trim();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return /^(access_token|error|[\w.]+=[^<>\s]*&(access_token|error))=[^<>\s]+$/.test(text)
      ? Object.fromEntries(new URLSearchParams(text))
      : null;
  }
}

/** Null: no text, or an empty one. */
function textIn(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/**
 * Null: the provider does not say. With 0 or less it says nothing, because no provider gives a token that has ended.
 * Limits the value so that the database can store it, because a token that is not stored is lost.
 */
function lifetime(value: unknown): number | null {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  return seconds > 0 ? Math.min(seconds, LIFETIME_MAX_SECONDS) : null;
}

/** A text with blanks or commas, or a list. Null: neither. */
function scopesIn(value: unknown): string[] | null {
  const given: unknown[] = Array.isArray(value) ? value.slice(0, SCOPES_KEPT) : [value];
  const texts = given.filter((each) => typeof each === 'string');
  if (texts.length === 0) return null;
  const names = texts.flatMap((text) => text.split(/[\s,]+/, SCOPES_KEPT));
  return [...new Set(names.filter(isScope))].slice(0, SCOPES_KEPT);
}

/** The characters of RFC 6749, section 3.3. */
const isScope = (name: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]{1,1000}$/.test(name);

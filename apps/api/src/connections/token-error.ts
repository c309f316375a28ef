/** What the answer of a token endpoint says about its error. */
export interface TokenError {
  /** The code that decides, in the spelling of RFC 6749; null: the answer has none. */
  code: string | null;
  /** For people. Never a text of the provider that may hold a secret. */
  shown: string;
  /** Whether the stored grant is named as the reason. */
  isGrantRefused: boolean;
  isAboutRedirect: boolean;
}

/** Members that hold an error code, a list of errors, or an error as an object. */
const PLACES = new Set(
  'error errors error_code errorCode error_type errorType code status type reason name title'.split(' '),
);
/** Members that hold a sentence. */
const SENTENCES = new Set(
  'error_description errorDescription error_message errorMessage message msg detail description'.split(' '),
);
/** An answer has few errors. Others cost nothing. */
const TEXTS_MAX = 50;
const DEPTH_MAX = 4;

/** The names under which providers say that a grant has ended, without punctuation: `invalid_grant`, `BadRefreshToken`. */
const GRANT_REFUSED = new Set([
  'invalidgrant',
  'badgrant',
  'grantexpired',
  'expiredgrant',
  'grantrevoked',
  'revokedgrant',
  'badrefreshtoken',
  'invalidrefreshtoken',
  'refreshtokeninvalid',
  'expiredrefreshtoken',
  'refreshtokenexpired',
  'revokedrefreshtoken',
  'refreshtokenrevoked',
  'refreshtokennotfound',
  'unknownrefreshtoken',
  'refreshtokenreused',
  'refreshtokenreuse',
  'refreshtokenalreadyused',
  'tokenrevoked',
  'tokenexpired',
  'badverificationcode',
  'invalidcode',
  // OpenID Connect Core 1.0, section 3.1.2.6: the provider wants to see the person.
  'interactionrequired',
  'loginrequired',
  'consentrequired',
  'accountselectionrequired',
]);

/** The provider is in trouble, or the client is. Whatever else the answer says, the grant may be valid. */
const NOT_THE_GRANT = new Set([
  'temporarilyunavailable',
  'servererror',
  'internalerror',
  'internalservererror',
  'serviceunavailable',
  'slowdown',
  'ratelimited',
  'ratelimitexceeded',
  'toomanyrequests',
  'invalidclient',
  'invalidclientid',
  'invalidclientsecret',
  'incorrectclientcredentials',
  'badclientsecret',
  'badclientid',
]);

const REFUSED = '(invalid|expired|revoked|unknown|not found|no longer valid|already used)';
/** For providers whose code is too general. */
const GRANT_SENTENCE = new RegExp(
  `\\brefresh[ _-]?token\\b.{0,40}\\b${REFUSED}\\b|\\b(bad|${REFUSED})( or \\w+)? refresh[ _-]?token\\b`,
  'i',
);
/** Sentences that list every possible reason name this one too. */
const REDIRECT = /redirect[ _-]?ur[il]/i;

/** Reads the error in any of the shapes that providers use. */
export function readError(answer: Record<string, unknown>): TokenError {
  const codes: string[] = [];
  const sentences: string[] = [];
  collect(answer, 0, codes, sentences);
  const plain = codes.map((text) => ({ text, name: text.toLowerCase().replace(/[^a-z]/g, '') }));
  const excuse = plain.find(({ name }) => NOT_THE_GRANT.has(name));
  const grant = plain.find(({ name }) => GRANT_REFUSED.has(name));
  const said = [...codes, ...sentences];
  const first = typeof answer.error === 'string' ? answer.error : undefined;
  const decisive = (excuse ?? grant)?.text ?? first ?? codes.find((text) => REDIRECT.test(text));
  const isGrantRefused =
    excuse === undefined && (grant !== undefined || said.some((text) => GRANT_SENTENCE.test(text)));
  return {
    code: decisive === undefined ? (isGrantRefused ? 'invalid_grant' : null) : snakeCase(decisive),
    shown: decisive === undefined ? 'an error' : shownCode(decisive),
    isGrantRefused,
    isAboutRedirect: said.some((text) => REDIRECT.test(text) && !/expired|revoked/i.test(text)),
  };
}

/** An outage never ends a connection, whatever the provider's page says meanwhile. */
export const isRejected = (status: number, { isGrantRefused }: TokenError): boolean =>
  isGrantRefused && status < 500 && status !== 408 && status !== 425 && status !== 429;

function collect(value: unknown, depth: number, codes: string[], sentences: string[]): void {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (codes.length + sentences.length >= TEXTS_MAX) return;
    const inList = Array.isArray(value);
    if (!inList && !PLACES.has(name) && !SENTENCES.has(name)) continue;
    if (typeof member !== 'string') collect(member, depth + 1, codes, sentences);
    else if (member !== '') (inList || PLACES.has(name) ? codes : sentences).push(member.slice(0, 300));
  }
}

/** `BadRefreshToken`, `BAD_REFRESH_TOKEN` and `bad-refresh-token` are one code. */
const snakeCase = (code: string): string =>
  code
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');

/**
 * Error codes have a narrow set of characters (RFC 6749, section 5.2). Other characters from a provider are not shown.
 */
export const shownCode = (code: string): string => (/^[\w.-]{1,64}$/.test(code) ? code : 'an error');

/** The provider gave no token. */
export class ProviderFailure extends Error {
  constructor(
    /**
     * `rejected`: the stored token is no longer valid, so only a person can help. `failed`: a later attempt may work.
     */
    readonly kind: 'rejected' | 'failed',
    /** For people; never a secret. */
    message: string,
    options: {
      /** The error code of the provider's answer, as `errorCode` reads it. */
      code?: string;
      /** The HTTP status of the provider's answer. */
      status?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = options.code ?? null;
    this.status = options.status ?? null;
  }

  /** Null: there is none. */
  readonly code: string | null;
  /** Null: no answer came. */
  readonly status: number | null;

  /** Whether the provider refused the client itself, and so has not looked at the grant. */
  get isClientRefused(): boolean {
    return this.code !== null ? CLIENT_REFUSED.has(this.code) : this.status === 401;
  }

  /** Whether the provider refused the code of a sign-in. */
  get isCodeRefused(): boolean {
    return this.code !== null && CODE_REFUSED.has(this.code);
  }
}

/** The error codes for a refused client: the code of RFC 6749, and the codes that some providers use instead. */
const CLIENT_REFUSED: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_client_id',
  'invalid_client_secret',
  'incorrect_client_credentials',
  'bad_client_secret',
  'bad_client_id',
]);

const CODE_REFUSED: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code', 'invalid_code']);

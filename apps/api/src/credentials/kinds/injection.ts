import type { AuthSettings } from '#contracts';

/** A request that is complete except for its signature. */
export interface SignableRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export type SignedRequest = Pick<SignableRequest, 'headers' | 'body'>;

/** A certificate by which the gateway identifies itself to one service. */
export interface ClientCertificate {
  /** PEM, with the certificates that lead to a root, if there are any. */
  cert: string;
  key: string;
  /** Identifies certificate and key: connections are shared only under the same one. */
  id: string;
  /** In milliseconds. */
  validToMs: number;
}

/** The credentials that a request gets, and the secrets that an answer must not contain. */
export interface Injection {
  headers: Record<string, string>;
  /** Query parameters by name. */
  query: Record<string, string>;
  /** Every text that reveals a credential: values as stored, and as composed for the request. */
  secrets: string[];
  /** The request with its signature, which depends on its bytes. @throws EgressFailure when it can't be signed */
  sign?: (request: SignableRequest, at: Date) => SignedRequest;
  certificate?: ClientCertificate;
}

/** The credentials of one service. */
export interface Credentials {
  names: readonly string[];
  /** @throws ApiError 500 when there is no credential with this name, or it can't be decrypted */
  reveal: (name: string) => string;
}

/** One way in which credentials become part of a request. */
export interface ConnectionKind {
  /** The names of the credentials that it needs. @param stored the names that are stored */
  required(auth: AuthSettings, stored: readonly string[]): readonly string[];
  /** The headers that it injects. The agent's own headers of these names are dropped. */
  headerNames(auth: AuthSettings, stored: readonly string[]): readonly string[];
  /** Why a credential can't have this name, or null. */
  nameFault?(name: string): string | null;
  /** Why a credential can't have this value, or null. */
  valueFault(name: string, value: string): string | null;
  inject(auth: AuthSettings, credentials: Credentials): Injection;
}

import { hash } from 'node:crypto';
// A CommonJS module: Node finds its default export only.
import aws4, { type Request as AwsRequest, type RequestSigner } from 'aws4';
import type { AuthSettings } from '#contracts';
import { EgressFailure } from '#egress';
import type { ConnectionKind, Credentials, SignableRequest, SignedRequest } from './injection.js';
import { headerValueFault } from './header-value.js';

const SESSION_TOKEN = 'session_token';

/** The headers of a signature. An action that was held before the service was signed may still have the agent's own. */
const SIGNATURE_HEADERS = ['Authorization', 'X-Amz-Date', 'X-Amz-Content-Sha256', 'X-Amz-Security-Token'];
const OWN = new Set(SIGNATURE_HEADERS.map((name) => name.toLowerCase()));

/** OpenSearch Serverless (`aoss`) requires it like S3. */
const NEEDS_HASH = /^(?:s3.*|aoss)$/;

/** The types of aws4 lack the date of the signature, which AWS documents. */
type DatedSigner = RequestSigner & { datetime: string };

/** AWS Signature Version 4. The signature covers the bytes that are sent, so it is made for each request. */
export const awsKind: ConnectionKind = {
  required: () => ['access_key_id', 'secret_access_key'],
  headerNames: () => SIGNATURE_HEADERS,
  valueFault: headerValueFault,
  inject: (auth, credentials) => {
    const keys = readKeys(credentials);
    const secrets = [keys.secretAccessKey, ...(keys.sessionToken === undefined ? [] : [keys.sessionToken])];
    return { headers: {}, query: {}, secrets, sign: (request, at) => signed(auth.aws!, keys, request, at) };
  },
};

interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

function readKeys({ names, reveal }: Credentials): Keys {
  return {
    accessKeyId: reveal('access_key_id'),
    secretAccessKey: reveal('secret_access_key'),
    ...(names.includes(SESSION_TOKEN) ? { sessionToken: reveal(SESSION_TOKEN) } : {}),
  };
}

/** @param at the date of the signature @throws EgressFailure when the URL can't be signed */
export function signed(
  { region, service }: NonNullable<AuthSettings['aws']>,
  keys: Keys,
  request: SignableRequest,
  at: Date,
): SignedRequest {
  const { body, headers } = request;
  const date = at.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const all: Record<string, string> = {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name.toLowerCase()))),
    'X-Amz-Date': date,
    ...(keys.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': keys.sessionToken }),
    // Only these require it. Other services compute it from the body.
    ...(NEEDS_HASH.test(service) ? { 'X-Amz-Content-Sha256': hash('sha256', body ?? '', 'hex') } : {}),
  };
  const { url, method } = request;
  const asked: AwsRequest = {
    host: url.host,
    method,
    path: url.pathname + url.search,
    headers: { Host: url.host, ...all },
    body: body ?? '',
    service,
    region,
    doNotModifyHeaders: true,
  };
  return { body, headers: { ...all, Authorization: authorization(asked, keys, date) } };
}

function authorization(request: AwsRequest, keys: Keys, date: string): string {
  try {
    const signer = new aws4.RequestSigner(request, keys) as DatedSigner;
    signer.datetime = date;
    return String(signer.sign().headers?.Authorization);
  } catch (error) {
    throw new EgressFailure('not_sent', false, 'the URL cannot be signed: it has a malformed escape', error);
  }
}

import { createHash, createHmac } from 'node:crypto';
import type { UpstreamCall } from './fake-upstream.js';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * The fault in the AWS Signature Version 4 of a request; null: it is valid. Follows "Signature calculations" in the
 * reference of the S3 API, and "Create a signed AWS API request" for other services. Shares no code with the gateway.
 */
export function awsSignatureFault(
  { method, path, headers, body }: UpstreamCall,
  { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string },
): string | null {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/((\d{8})\/([^/]+)\/([^/]+)\/aws4_request), *SignedHeaders=([^,]+), *Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!parts) return 'no signature';
  const [, keyId, scope, date, region, service, signedNames, signature] = parts;
  const isS3 = service === 's3';
  if (keyId !== accessKeyId) return 'another access key';
  if (isS3 && headers['x-amz-content-sha256'] !== sha256(body)) return 'another body';
  const names = signedNames.split(';');
  const unsigned = Object.keys(headers).filter((name) => /^(host|x-amz-.*)$/.test(name) && !names.includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned.join(', ')}`;
  const url = new URL(path, 'http://x');
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    method,
    // Only S3 encodes a path once. For the others, the escapes of the path that is sent are encoded again.
    (isS3 ? decodeURIComponent(url.pathname) : path.split('?')[0]).split('/').map(encode).join('/'),
    query.join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signedNames,
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, text).toString('hex') === signature ? null : 'another signature';
}

/** A request as a curl command without secrets, for tickets and chats. It does not run without changes. */
const SENSITIVE = /auth|token|secret|key|password|cookie|session|signature/i;
export const REDACTED = '••••';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface CurlRequest {
  method: string;
  targetUrl: string;
  headers: Record<string, string>;
  body: string | null;
  bodyEncoding?: 'base64';
}

export function redactedCurl(request: CurlRequest, injectedHeaders: readonly string[]): string {
  const lines = [`curl -X ${request.method} ${quote(request.targetUrl)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    lines.push(`-H ${quote(`${name}: ${SENSITIVE.test(name) ? REDACTED : value}`)}`);
  }
  for (const name of injectedHeaders) lines.push(`-H ${quote(`${name}: ${REDACTED}`)}`);
  if (request.body !== null) {
    lines.push(request.bodyEncoding === 'base64' ? '--data-binary @body.bin' : `--data-raw ${quote(request.body)}`);
  }
  return lines.join(' \\\n  ');
}

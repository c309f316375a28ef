import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { Service } from '#contracts';
import { SELF_SIGNED } from '../../../libs/egress/test/self-signed.js';
import { awsSignatureFault } from './support/aws-signature.js';
import { CLIENT_CERTIFICATE, EXPIRED_CERTIFICATE } from './support/client-certificates.js';
import { startGateway, type Gateway } from './support/gateway.js';

const KEYS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'planted-secret-access-key' };
const AWS = { region: 'eu-central-1', service: 's3' };

let secure: Server;
let gateway: Gateway;
let connections = 0;
beforeAll(async () => {
  secure = createServer({ ...SELF_SIGNED, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { subject } = (request.socket as tls.TLSSocket).getPeerCertificate();
    response.end((subject as { CN?: string } | undefined)?.CN ?? 'nobody');
  });
  secure.on('secureConnection', () => connections++);
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  // Only the trusted authorities and names are replaced, because the client has no option for them.
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
  jest
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) =>
      connect({ ...options, ca: SELF_SIGNED.cert, checkServerIdentity: () => undefined })) as typeof tls.connect);
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${(secure.address() as AddressInfo).port}` });
});
beforeEach(() => gateway.model.answer({ score: 0, explanation: 'reads' }));
afterAll(async () => {
  await gateway.close();
  jest.restoreAllMocks();
  secure.closeAllConnections();
  await new Promise((resolve) => secure.close(resolve));
});

async function use(fields: object): Promise<Service> {
  const service = await gateway.createService(fields);
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}
const lastCall = () => gateway.upstream.calls.at(-1)!;

describe('a service of AWS', () => {
  it('gets requests that the gateway signs, instead of the agent’s own signature', async () => {
    const service = await use({ name: 'bucket', authType: 'custom', auth: { aws: AWS }, credentials: KEYS });
    expect(service.missingCredentials).toEqual([]);
    const answer = await fetch(`${gateway.url}/s/bucket;idempotency=none/a%2Bb.txt`, {
      method: 'PUT',
      headers: {
        Authorization: `AWS4-HMAC-SHA256 Credential=${gateway.agentKey}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0`,
        'X-Amz-Date': '20260101T000000Z',
        'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
        'X-Amz-Security-Token': 'of-the-agent',
        'Content-Type': 'text/plain',
        'X-Amz-Meta-A': 'kept',
      },
      body: 'the content',
    });
    expect([answer.status, lastCall().body.toString()]).toEqual([200, 'the content']);
    const { headers } = lastCall();
    expect(headers).toMatchObject({
      'x-amz-content-sha256': hash('sha256', 'the content', 'hex'),
      'x-amz-meta-a': 'kept',
      'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
    });
    expect(headers['x-amz-date']).not.toBe('20260101T000000Z');
    expect(headers).not.toHaveProperty('x-amz-security-token');
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=[a-z-;]*host;[a-z-;]*x-amz-content-sha256;x-amz-date;x-amz-meta-a, Signature=[0-9a-f]{64}$/,
    );
    await gateway.admin(`POST /services/${service.id}/test`, {});
    expect(lastCall().headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/);
  });

  it.each([
    ['coded', '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fsmall/invoke'],
    ['not coded', '/model/arn:aws:bedrock:us-east-1:123456789012:inference-profile/small/invoke'],
  ])('gets the name of a resource in a path as it was written, and signed: %s', async (_how, path) => {
    const aws = { region: 'us-east-1', service: 'bedrock' };
    const { url: baseUrl, calls } = gateway.upstream;
    await use({ name: 'models', baseUrl, authType: 'custom', auth: { aws }, credentials: KEYS });
    calls.length = 0;
    const headers = { 'X-Intent': 'ask', 'Idempotency-Key': randomUUID() };
    await gateway.agentCall('POST', `/s/models${path}`, '{}', headers);
    await gateway.proxy({ method: 'POST', targetUrl: baseUrl + path, body: '{}', idempotencyKey: randomUUID() });
    expect(calls.map((call) => call.path)).toEqual([path, path]);
    const keys = { accessKeyId: KEYS.access_key_id, secretAccessKey: KEYS.secret_access_key };
    expect(calls.map((call) => awsSignatureFault(call, keys))).toEqual([null, null]);
  });

  it('gets the session token of temporary credentials, which is redacted like the key', async () => {
    const credentials = { ...KEYS, session_token: 'planted-session-token' };
    await use({ authType: 'custom', auth: { aws: { region: 'us-east-1', service: 'sts' } }, credentials });
    gateway.upstream.answer((call, response) =>
      response.end(`${String(call.headers['x-amz-security-token'])} ${KEYS.secret_access_key}`),
    );
    const answer = await gateway.proxy();
    expect(lastCall().headers['x-amz-security-token']).toBe('planted-session-token');
    expect(answer.text).toBe('[REDACTED] [REDACTED]');
    gateway.upstream.answer((_call, response) => response.end());
  });

  it('names the credentials that it misses', async () => {
    const service = await use({ authType: 'custom', auth: { aws: AWS }, credentials: { access_key_id: 'AKID' } });
    expect(service.missingCredentials).toEqual(['secret_access_key']);
    expect((await gateway.proxy()).json()).toMatchObject({
      error: 'No credentials found for service',
      statusCode: 500,
    });
  });

  it.each([
    [{ aws: { region: 'EU', service: 's3' } }, /^auth\.aws\.region: must contain only lowercase letters/],
    [{ aws: { region: 'eu-central-1' } }, /^auth\.aws\.service: must contain/],
    [{ aws: 's3' }, /^auth\.aws: /],
    [{ aws: AWS, headers: { 'X-Key': '{{access_key_id}}' } }, /^auth\.aws: cannot be combined/],
  ])('refuses %j', async (auth, message) => {
    const fields = { name: 'X', baseUrl: 'https://s3.example.com', authType: 'custom', credentials: KEYS };
    const { status, body } = await gateway.tryAdmin('POST /services', { ...fields, auth });
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('a service that asks for a certificate', () => {
  const baseUrl = () => `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  const withCertificate = (fields: object = {}) => ({
    name: 'Bank',
    baseUrl: baseUrl(),
    authType: 'custom',
    auth: { clientCertificate: true },
    credentials: CLIENT_CERTIFICATE,
    ...fields,
  });

  it('gets the certificate, which is not sent for another service at the same origin', async () => {
    const service = await use(withCertificate());
    expect(service).toMatchObject({ certificate: { validTo: '2120-01-01T00:00:00.000Z' }, missingCredentials: [] });
    expect((await gateway.proxy({ targetUrl: `${baseUrl()}/a` })).text).toBe('gateway-a');
    expect((await gateway.proxy({ targetUrl: `${baseUrl()}/b` })).text).toBe('gateway-a');
    expect(connections).toBe(1);
    const plain = await use({ baseUrl: baseUrl() });
    expect(plain.certificate).toBeNull();
    expect((await gateway.proxy({ targetUrl: `${baseUrl()}/c` })).text).toBe('nobody');
  });

  it('gets other credentials too', async () => {
    const credentials = { ...CLIENT_CERTIFICATE, token: 'planted-token-1' };
    await use(withCertificate({ authType: 'bearer', credentials }));
    expect((await gateway.proxy({ targetUrl: `${baseUrl()}/a` })).text).toBe('gateway-a');
  });

  it('shows when a replaced certificate ends', async () => {
    const service = await use(withCertificate());
    await gateway.admin(`POST /services/${service.id}/credentials`, {
      credentials: { client_cert: CLIENT_CERTIFICATE.client_cert },
    });
    expect(await gateway.admin(`GET /services/${service.id}`)).toMatchObject({
      certificate: { validTo: '2120-01-01T00:00:00.000Z' },
      missingCredentials: ['client_key'],
    });
  });

  it.each([
    [
      'another key',
      { ...CLIENT_CERTIFICATE, client_key: EXPIRED_CERTIFICATE.client_key },
      /client_key: is not the key of this/,
    ],
    ['an expired certificate', EXPIRED_CERTIFICATE, /^credentials\.client_cert: has expired on 2021-01-01$/],
    ['no PEM', { ...CLIENT_CERTIFICATE, client_cert: 'x' }, /^credentials\.client_cert: must be a certificate in PEM$/],
    ['no key', { ...CLIENT_CERTIFICATE, client_key: '-----BEGIN' }, /^credentials\.client_key: must be an unencrypted/],
    ['a line break elsewhere', { ...CLIENT_CERTIFICATE, x: 'a\nb' }, /^credentials\.x: must not contain line breaks/],
  ])('refuses %s', async (_case, credentials, message) => {
    const { status, body } = await gateway.tryAdmin('POST /services', withCertificate({ credentials }));
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
    expect(body.error).not.toContain('BEGIN');
    const service = await gateway.createService(withCertificate());
    const replaced = await gateway.tryAdmin(`POST /services/${service.id}/credentials`, { credentials });
    expect([replaced.status, replaced.body.error]).toEqual([400, expect.stringMatching(message)]);
  });

  it('needs https', async () => {
    const { body } = await gateway.tryAdmin('POST /services', withCertificate({ baseUrl: 'http://bank.example.com' }));
    expect(body.error).toBe('auth.clientCertificate: needs a baseUrl with https');
    const service = await gateway.createService(withCertificate());
    const moved = await gateway.tryAdmin(`PUT /services/${service.id}`, { baseUrl: 'http://bank.example.com' });
    expect(moved.body.error).toBe('auth.clientCertificate: needs a baseUrl with https');
  });
});

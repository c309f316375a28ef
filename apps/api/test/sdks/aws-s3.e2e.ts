import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { awsSignatureFault } from '../support/aws-signature.js';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { BINARY, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

/**
 * The SDK signs with the agent key. The gateway signs again, with the key of the service, and the API verifies that.
 */
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'planted-secret-access-key' };
const objects = new Map<string, Buffer>();
let sdk: SdkGateway;

const etag = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`;

const s3: UpstreamAnswer = (call, response) => {
  const xml = (status: number, text: string): void =>
    void response.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
  const failed = (status: number, code: string, message = code): void =>
    xml(status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  const fault = awsSignatureFault(call, KEYS);
  if (fault !== null) return failed(403, 'SignatureDoesNotMatch', fault);
  const url = new URL(call.path, 'http://x');
  const key = decodeURIComponent(url.pathname).replace(/^\/bucket\/?/, '');
  if (key === '') return list(url.searchParams, xml);
  if (call.method === 'PUT') {
    objects.set(key, call.body);
    return void response.writeHead(200, { ETag: etag(call.body) }).end();
  }
  const content = objects.get(key);
  if (content === undefined) return failed(404, 'NoSuchKey');
  const range = /^bytes=(\d+)-(\d+)$/.exec(call.headers.range ?? '');
  if (!range) return void response.writeHead(200, { ETag: etag(content) }).end(content);
  const [from, to] = [Number(range[1]), Number(range[2])];
  const headers = { ETag: etag(content), 'Content-Range': `bytes ${from}-${to}/${content.length}` };
  response.writeHead(206, headers).end(content.subarray(from, to + 1));
};

function list(query: URLSearchParams, xml: (status: number, text: string) => void): void {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key > after && key.startsWith(query.get('prefix') ?? '')).sort();
  const page = keys.slice(0, Number(query.get('max-keys') ?? 1000));
  const more = page.length < keys.length;
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size></Contents>`);
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  xml(200, `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`);
}

beforeAll(async () => {
  sdk = await startSdkGateway({
    name: 'S3',
    answer: s3,
    service: {
      authType: 'custom',
      auth: { aws: { region: 'eu-central-1', service: 's3' } },
      credentials: { access_key_id: KEYS.accessKeyId, secret_access_key: KEYS.secretAccessKey },
    },
  });
  await sdk.holds('/bucket/locked/**', ['PUT']);
});
afterAll(() => sdk.close());

const client = (endpoint = sdk.base()) =>
  new S3Client({
    endpoint,
    region: 'eu-central-1',
    forcePathStyle: true,
    credentials: { accessKeyId: sdk.agentKey, secretAccessKey: 'unused' },
  });
const Bucket = 'bucket';

it('puts bytes and gets them back, whole and in part', async () => {
  const Key = 'reports/ä b+c (1)!.bin';
  const { ETag } = await client().send(new PutObjectCommand({ Bucket, Key, Body: BINARY }));
  expect([ETag, objects.get(Key)?.equals(BINARY)]).toEqual([etag(BINARY), true]);
  const whole = await client().send(new GetObjectCommand({ Bucket, Key }));
  expect(Buffer.from(await whole.Body!.transformToByteArray()).equals(BINARY)).toBe(true);
  const part = await client().send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=100-299' }));
  expect([part.$metadata.httpStatusCode, part.ContentRange]).toEqual([206, 'bytes 100-299/1024']);
  expect(Buffer.from(await part.Body!.transformToByteArray()).equals(BINARY.subarray(100, 300))).toBe(true);
});

it('puts a stream, which the SDK sends in chunks', async () => {
  const Body = Readable.from([BINARY, BINARY]);
  await client().send(new PutObjectCommand({ Bucket, Key: 'stream', Body, ContentLength: 2 * BINARY.length }));
  expect(objects.get('stream')?.equals(Buffer.concat([BINARY, BINARY]))).toBe(true);
  expect(sdk.calls.at(-1)!.headers).not.toHaveProperty('content-encoding');
});

it('lists all pages', async () => {
  for (const name of ['a', 'b', 'c']) objects.set(`list/${name}`, BINARY);
  const keys: (string | undefined)[] = [];
  const pages = paginateListObjectsV2({ client: client() }, { Bucket, Prefix: 'list/', MaxKeys: 2 });
  for await (const { Contents } of pages) keys.push(...(Contents ?? []).map(({ Key }) => Key));
  expect(keys).toEqual(['list/a', 'list/b', 'list/c']);
  const { Contents } = await client().send(new ListObjectsV2Command({ Bucket, Prefix: 'list/c' }));
  expect(Contents).toEqual([expect.objectContaining({ Key: 'list/c', Size: BINARY.length })]);
});

it('gets the errors of the API as its own error classes', async () => {
  const missing = client().send(new GetObjectCommand({ Bucket, Key: 'missing' }));
  await expect(missing).rejects.toBeInstanceOf(NoSuchKey);
});

it('is held, approved, signed when it is sent, and executed once', async () => {
  const { refused, answer } = await sdk.heldThenApproved(
    (base) => client(base).send(new PutObjectCommand({ Bucket, Key: 'locked/a', Body: BINARY })),
    ({ method }) => method === 'PUT',
  );
  expect(refused).toMatchObject({ $metadata: { httpStatusCode: 428 } });
  expect(answer.ETag).toBe(etag(BINARY));
  expect(objects.get('locked/a')?.equals(BINARY)).toBe(true);
});

it('runs as the documentation shows', () => sdk.runsSnippets('aws'));

/**
 * Each reader of what an agent sends, with the worst texts for its regular expressions. A pattern takes quadratic time
 * if two neighbouring parts of it can match the same characters.
 */
import { assertTargetAllowed, EgressRefusal } from '#egress';
import { timesAsLong } from '../../../libs/egress/test/linear-time.js';
import { baseUrlAgentKey } from './agents/base-url-agent-key.js';
import { unchunked } from './egress/aws-chunks.js';
import { canonicalForm } from './egress/canonical-form.js';
import { canonicalJson } from './egress/canonical-json.js';
import { widestBodies } from './egress/compared-body.js';
import { formParts } from './egress/form-parts.js';
import { formBoundary, isReadAsUtf8 } from './egress/form-type.js';
import { classify } from './effects/classify.js';
import { withoutSecrets } from './request-reading/secret-texts.js';
import { ApiError } from './platform/errors.js';
import { atOnce } from './platform/short-steps.js';
import { withoutSecretFields } from './policy-tests/case-secrets.js';
import { plainAddress } from './platform/http/client-address.js';
import { ownPreferencesRemoved, preferredWait, prefersDryRun, prefersStream } from './proxy/prefer.js';
import { maskHeader, maskQuery } from './request-reading/masks.js';
import { exactForm } from './request-reading/exact-form.js';
import { exactJson } from './request-reading/exact-json.js';
import { graphqlFacts } from './request-reading/graphql-operation.js';
import { mediaType } from './request-reading/media-type.js';
import { methodsInParts } from './request-reading/methods-in-parts.js';
import { plainText } from './request-reading/plain-text.js';
import { requestMethods } from './request-reading/request-methods.js';
import { statedOperation } from './request-reading/stated-operation.js';

const TARGET = 'https://api.example.com/orders';
const MIXED = 'multipart/mixed; boundary=b';
const JSON_TYPE = 'application/json; charset=';

const head = (line: string): unknown => formParts(Buffer.from(`--b\r\n${line}\r\n\r\n\r\n--b--\r\n`), 'b');
const disposition = (rest: string): unknown => head(`Content-Disposition: form-data; name="a"${rest}`);
const methods = (type: string, body: string): unknown =>
  requestMethods({ method: 'POST', targetUrl: TARGET, headers: { 'content-type': type }, body });
const parts = (text: string): unknown => Array.from(methodsInParts(text));
const operation = (type: string, body: string, targetUrl = TARGET): unknown =>
  statedOperation({ method: 'POST', targetUrl, headers: { 'content-type': type }, body });
const compared = (text: string, type: string): unknown =>
  atOnce(widestBodies({ bytes: Buffer.from(text), text }, type, false));
const effects = (type: string, body: string): unknown =>
  classify({ method: 'POST', targetUrl: `${TARGET}/sql`, headers: { 'content-type': type }, body }, TARGET, null);
const key = (authorization: string): unknown => baseUrlAgentKey({ authorization });
const target = (url: string): unknown =>
  assertTargetAllowed(url, url, { privateAllowlist: new Set(), ownTargets: new Set(['x:443']) });

const jsonOf = (body: string): Parameters<typeof graphqlFacts>[0] => ({
  method: 'POST',
  targetUrl: TARGET,
  headers: { 'content-type': 'application/json' },
  body,
});

type Case = [name: string, read: (text: string) => unknown, begin: string, repeated: string, end: string];

it.each<Case>([
  ['comments in SQL', (text) => effects('application/sql', text), 'select 1 ', '/*', ''],
  ['tags of strings in SQL', (text) => effects('application/sql', text), 'select 1 ', '$a$ $b$ ', ''],
  ['quotation marks in SQL', (text) => effects('application/sql', text), 'select ', `'"`, ''],
  ['changes without a condition in SQL', (text) => effects('application/sql', text), 'select 1;', 'update ', ''],
  ['blanks in SQL', (text) => effects('application/sql', text), 'select 1 from', ' ', '!'],
  ['elements of XML', (text) => effects('application/xml', text), '', '<a', ''],
  ['the name of an element of XML', (text) => effects('application/xml', text), '<', 'a', ''],
  ['requests in parts without an end', (text) => effects(MIXED, text), '--b\r\n', 'GET x\r\na: b\r\n', ''],
  ['blanks in requests in parts', (text) => effects(MIXED, text), '--b\r\nGET x', ' ', 'y'],
  ['methods of XML-RPC', (text) => effects('text/xml', text), '<methodCall>', '<methodName> ', ''],
  ['blanks in XML-RPC', (text) => effects('text/xml', text), '<methodCall><name>', ' ', 'x'],
  ['statements of SQL', (text) => effects('application/sql', text), 'begin', ';a', ''],
  [
    'names in the name of a form field',
    (text) => effects('application/x-www-form-urlencoded', text),
    'q',
    '.q',
    '=begin;a',
  ],
  ['lists in a recorded case', withoutSecretFields, '[', '{"token":[', ''],
  ['quotation marks in a recorded case', withoutSecretFields, '[', '"a" ', ''],
  ['fields of JSON that is cut off', (text) => effects('application/json', text), '{', '"a": ', ''],
  ['blanks before a value in the head of a part', head, 'X:', ' ', '\x01'],
  ['tabs before a value in the head of a part', head, 'X:', '\t', '\x01'],
  ['the name of a header in the head of a part', head, 'X:', 'content-id ', '\x01'],
  ['blanks in a disposition', disposition, ';', ' ', '!'],
  ['parameters of a disposition', disposition, '', ';a=b', '!'],
  ['quoted parameters of a disposition', disposition, '', ';a=";a="', '!'],
  ['blanks after multipart/form-data', formBoundary, 'multipart/form-data', ' ', 'x'],
  ['parameters of a form', formBoundary, 'multipart/form-data', ';a="b"', '!'],
  ['blanks after a charset of a part', isReadAsUtf8, 'text/plain; charset=utf-8', ' ', 'x'],
  ['charsets of a part', isReadAsUtf8, '', 'charset=utf-8 ', 'x'],
  ['blanks before a charset', (text) => methods(text, '{}'), JSON_TYPE, ' ', 'x'],
  ['blanks after a charset', (text) => methods(text, '{}'), `${JSON_TYPE}utf-8`, ' ', 'x'],
  ['blanks before the sign of a charset', (text) => methods(text, '{}'), 'application/json; charset', ' ', 'x'],
  ['blanks before a value in JSON', (text) => methods('application/json', text), '{"_method":', ' ', 'x'],
  ['names in a form', (text) => methods('application/x-www-form-urlencoded', text), '', '&_method[', ''],
  ['blanks in a form', (text) => methods('application/x-www-form-urlencoded', text), 'a', '%20', '_method['],
  ['blanks before a name in a part', parts, 'content-disposition: form-data; name', ' ', 'x'],
  ['blanks after a sign in a part', parts, 'content-disposition: form-data; name=', ' ', 'x'],
  ['names in a part', parts, 'content-disposition: form-data', '; name=a', ''],
  ['encoded words in a part', parts, 'content-disposition: form-data; name="', '=?a?q?=?=', '_method"'],
  ['batches in a path', (text) => operation('', '', TARGET + text), '/', ':batch_', '%0a'],
  ['blanks before GraphQL', (text) => operation('application/graphql', text), '', ', ', 'x'],
  ['words before GraphQL', (text) => operation('application/graphql', text), '', 'query ', 'x'],
  ['blanks in a query of JSON', (text) => operation('application/json', text), '{"query"', ' ', 'x'],
  [
    'blanks after a boundary',
    (text) => compared(text, 'multipart/mixed; boundary=b'),
    '--b\r\n\r\n\r\n--b--',
    ' ',
    'x',
  ],
  ['parameters of a type', (text) => compared('a', text), 'text/plain', ';a="\\"', ''],
  ['blanks in a type', (text) => compared('a', text), 'text/plain;a', ' ', 'x'],
  ['parameters of a media type', mediaType, 'a/b', ';a=b', '!'],
  ['blanks in a media type', mediaType, 'a/b;', ' ', '!'],
  ['quotes in a media type', mediaType, 'a/b;a="', ';a="', ''],
  ['keys of exact JSON', exactJson, '{"a', '":1,"a', ''],
  ['escapes in exact JSON', exactJson, '["', '\\"', ''],
  ['digits of exact JSON', exactJson, '[1', '1', ']'],
  ['digits of an exponent of exact JSON', exactJson, '[1e1', '1', ''],
  ['brackets in a name of a form', exactForm, 'a', '[', '=1'],
  ['blanks in a name of a form', exactForm, 'a', '+', 'b=1'],
  ['dots in a name of a form', exactForm, 'a', '.', '=1'],
  ['percent signs in a form', exactForm, 'a=', '%41', '%'],
  ['escapes in a key that may be a query', (text) => graphqlFacts(jsonOf(text)), '{"a":1,"a":2', '"\\u0061', ''],
  ['zeros', (text) => canonicalJson(text, null), '1', '0', 'x'],
  ['zeros of an exponent', (text) => canonicalJson(text, null), '1e', '0', 'x'],
  ['signs of a form', (text) => canonicalForm(text, false), '', '=', ''],
  ['semicolons of a chunk', (text) => unchunked(Buffer.from(text)), '1', ';', ''],
  ['blanks in a preferred wait', preferredWait, 'wait=1', ' ', 'x'],
  ['blanks before a preferred wait', preferredWait, '', ', ', 'wait'],
  ['blanks in a preferred dry run', prefersDryRun, 'handling=', ' ', 'x'],
  ['blanks in a preferred stream', prefersStream, 'stream', ' ', 'x'],
  ['blanks in other preferences', ownPreferencesRemoved, 'stream', ' ', 'x'],
  ['blanks in an Authorization', key, 'Bearer', ' ', ''],
  ['keys in a signature of AWS', key, 'AWS4-HMAC-SHA256 ', ' Credential=agt_', ''],
  ['tokens in a headline', withoutSecrets, '', 'eyJ-', '!'],
  ['passwords of URLs in a headline', withoutSecrets, '', '//a:', '!'],
  ['emphasis in a summary', plainText, '', '*a_', '!'],
  ['links in a summary', plainText, '', '[a](', '!'],
  ['schemes in a header', maskHeader('accept'), '', 'Bearer ', ''],
  ['parameters of a URL', maskQuery, `${TARGET}?`, '?a&', ''],
  ['dots of a host', target, 'https://a', '.', 'b/'],
  ['dots of a host with a port', target, 'https://a', '.', 'b:8443/'],
  ['colons of an address', (text) => plainAddress(text), '[', ':', ''],
])('reads %s in linear time', async (_name, read, begin, repeated, end) => {
  const reading = (length: number) => {
    const text = begin + repeated.repeat(length / repeated.length) + end;
    return () => {
      for (let round = 0; round < 10; round++) ignoringRefusal(() => read(text));
    };
  };
  // The text is eight times as long: a quadratic pattern needs 64 times as long.
  expect(await timesAsLong(reading(14_400), reading(1800))).toBeLessThan(24);
});

function ignoringRefusal(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof EgressRefusal)) throw error;
  }
}

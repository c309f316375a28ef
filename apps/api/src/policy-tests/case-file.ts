import { isAlias, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { EFFECTS, type Effect } from '#contracts/effects';
import { HTTP_METHODS } from '#contracts/states';
import { CaseFields, lineOf, toJson, type Lines } from './case-nodes.js';
import { CASE_DECISIONS, CaseFault, type CaseRequest, type Expected, type PolicyCase } from './policy-case.js';

export interface CaseFile {
  file: string;
  /** With comments and order, to write it again. */
  document: Document;
  cases: PolicyCase[];
  faults: CaseFault[];
}

/** Reads a list of cases. Each fault is one that its author can find by its line. */
export function readCases(file: string, text: string): CaseFile {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, logLevel: 'silent', intAsBigInt: true } as const;
  const document = parseDocument(text, options);
  const found: CaseFile = { file, document, cases: [], faults: [] };
  for (const { code, pos } of [...document.errors, ...document.warnings].slice(0, 1)) {
    found.faults.push(
      new CaseFault(lines.linePos(pos[0]).line, `invalid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`),
    );
  }
  visit(document, {
    Alias(_key, node) {
      if (found.faults.length === 0) found.faults.push(new CaseFault(lineOf(node, lines), 'aliases are not allowed'));
    },
  });
  if (found.faults.length > 0) return found;
  if (!isSeq(document.contents)) {
    found.faults.push(new CaseFault(lineOf(document.contents, lines), 'must be a list of cases'));
    return found;
  }
  for (const item of document.contents.items) {
    try {
      found.cases.push(toCase(item, lines));
    } catch (error) {
      if (!(error instanceof CaseFault)) throw error;
      found.faults.push(error);
    }
  }
  return found;
}

function toCase(item: unknown, lines: Lines): PolicyCase {
  const fields = new CaseFields(item, '', lines, ['name', 'service', 'agent', 'request', 'firstTime', 'at', 'expect']);
  const at = fields.text('at');
  const atMs = at === null ? null : Date.parse(at);
  if (atMs !== null && !(TIME.test(at!) && Number.isFinite(atMs))) {
    throw fields.fault('at', 'must be a time such as 2030-01-31T09:00:00Z');
  }
  if (!fields.has('request')) throw fields.fault('request', 'is missing');
  return {
    line: lineOf(item, lines),
    name: fields.text('name'),
    service: fields.required('service'),
    agent: fields.required('agent'),
    request: toRequest(fields.part('request'), lines),
    firstTime: fields.flag('firstTime'),
    atMs,
    expect: fields.has('expect') ? toExpected(fields.part('expect'), lines) : null,
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function toRequest(node: unknown, lines: Lines): CaseRequest {
  const known = ['method', 'path', 'targetUrl', 'headers', 'body', 'bodyBase64', 'intent'];
  const fields = new CaseFields(node, 'request', lines, known);
  const method = fields.choice('method', HTTP_METHODS);
  const [path, targetUrl] = [fields.text('path'), fields.text('targetUrl')];
  if ((path === null) === (targetUrl === null)) throw fields.fault('path', 'give either this or targetUrl');
  if (path !== null && !/^(?:$|[/?])/.test(path)) throw fields.fault('path', 'must begin with / or ?');
  return {
    method,
    path,
    targetUrl,
    ...bodyOf(fields, fields.has('headers') ? fields.entries('headers') : {}),
    bodyBase64: fields.text('bodyBase64'),
    intent: fields.text('intent'),
  };
}

/** A text is sent as it is, anything else as JSON. */
function bodyOf(fields: CaseFields, headers: Record<string, string>): Pick<CaseRequest, 'headers' | 'body'> {
  if (!fields.has('body') || fields.isNull('body')) return { headers, body: null };
  const node = fields.part('body');
  if (isScalar(node) && typeof node.value === 'string') return { headers, body: node.value };
  if (isAlias(node)) throw fields.fault('body', 'must be a text or JSON');
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { headers: isTyped ? headers : { ...headers, 'Content-Type': 'application/json' }, body: toJson(node) };
}

function toExpected(node: unknown, lines: Lines): Expected {
  const fields = new CaseFields(node, 'expect', lines, ['decision', 'rule', 'effects']);
  const expected: Expected = { decision: fields.choice('decision', CASE_DECISIONS) };
  if (fields.has('rule')) expected.rule = fields.isNull('rule') ? null : fields.text('rule');
  if (fields.has('effects')) {
    const words = fields.texts('effects');
    const unknown = words.find((word) => !EFFECTS.includes(word as Effect));
    if (unknown !== undefined) throw fields.fault('effects', `${unknown} is unknown; known are ${EFFECTS.join(', ')}`);
    expected.effects = words as Effect[];
  }
  return expected;
}

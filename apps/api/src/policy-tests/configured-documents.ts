import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '#contracts/configuration';
import { OPERATIONS_PER_DOCUMENT_MAX } from '#contracts/limits';
import { describedTarget, toDescribedOperation, type OperationCall } from '../documentation/described-operations.js';
import { isRead, type ReadType } from '../documentation/openapi-reader.js';
import type { Operation } from '../documentation/openapi-operations.mjs';
import { ServiceTemplates, type FoundTemplate } from '../documentation/service-templates.js';
import type { DescribedOperation } from '../effects/described-operation.js';
import { errors } from '../platform/errors.js';
import { requestMethods } from '../request-reading/request-methods.js';
import { calledTools } from '../request-reading/rpc-calls.js';
import { NOT_DOCUMENTED, type Documented } from '../risk/request-facts.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { FindDocumented } from './decided-case.js';

/** The documented operations of one service. */
class ServiceOperations {
  private readonly templates = new ServiceTemplates();
  private readonly rows: Operation[] = [];

  add(operations: readonly Operation[]): void {
    const first = this.rows.length;
    this.templates.add(
      operations.map((row, index) => ({
        ...row,
        id: first + index,
        tool: row.path === '' ? row.operationId : null,
      })),
    );
    this.rows.push(...operations);
  }

  /** To be called when all documents were added. */
  finish(): this {
    this.templates.finish();
    return this;
  }

  documented(service: ServiceView, request: RiskRequest): Documented {
    const { method, targetUrl } = request;
    const tools = calledTools(request);
    const call = { method, targetUrl, tools };
    const url = describedTarget(service, call);
    const operation = this.find(service, call);
    const all = url && this.templates.findAll(method, requestMethods(request), url, service.baseUrl);
    const atPath = all?.own ? this.describe(all.own) : null;
    const others = all === null ? [] : all.others;
    const isAmbiguous = (): boolean => url === null || this.templates.isAmbiguous(call, url, service.baseUrl);
    const found = { operation, atPath, others: others?.map((each) => this.describe(each)) ?? null, isAmbiguous };
    if (tools.length === 0 || this.templates.tools.size === 0) return { ...found, tools: null };
    const known = tools.flatMap((tool): [string, DescribedOperation][] => {
      const described = this.find(service, { method, targetUrl, tools: [tool] });
      return described === null ? [] : [[tool, described]];
    });
    return { ...found, tools: new Map(known) };
  }

  private find(service: ServiceView, call: OperationCall): DescribedOperation | null {
    const url = describedTarget(service, call);
    const found = url === null ? null : this.templates.findAlike(call, url, service.baseUrl);
    return found === null ? null : this.describe(found);
  }

  private describe({ id, isSpanned }: FoundTemplate): DescribedOperation {
    return toDescribedOperation(this.rows[id], isSpanned);
  }
}

/**
 * Reads the documents that the configuration has or names.
 * @param directory with the texts of those that it names by their digests; null: there is none
 * @param warn told about each document without its text
 * @throws ApiError 400 that says what is wrong with a document and where
 */
export async function configuredOperations(
  { services = [] }: Configuration,
  directory: string | null,
  warn: (line: string) => void,
): Promise<FindDocumented> {
  const texts = directory === null ? new Map<string, string>() : textsIn(directory);
  const found = new Map<string, ServiceOperations>();
  for (const [index, { name, documentation = [] }] of services.entries()) {
    for (const [at, { type, title, content, sha256 }] of documentation.entries()) {
      // Other documents decide nothing.
      if (!isRead(type)) continue;
      const file = texts.get(sha256 ?? '');
      const text = content ?? (file === undefined ? undefined : readFileSync(file, 'utf8'));
      if (text === undefined) {
        warn(`${name} / ${title}: ${whyMissing(directory)}, so the operations of this document are unknown`);
        continue;
      }
      const operations = found.get(name) ?? new ServiceOperations();
      found.set(name, operations);
      operations.add(await readOperations(type, text, `services.${index}.documentation.${at}`));
    }
  }
  for (const operations of found.values()) operations.finish();
  return (service, request) => found.get(service.name)?.documented(service, request) ?? NOT_DOCUMENTED;
}

const whyMissing = (directory: string | null): string =>
  directory === null ? 'only its digest is known (--documents)' : `no file in ${directory} has its digest`;

/** Loaded only if there is a document: it takes time. */
async function readOperations(type: ReadType, content: string, place: string): Promise<Operation[]> {
  const { readDocument } = await import('../documentation/read-document.mjs');
  const read = readDocument({ type, content, maxOperations: OPERATIONS_PER_DOCUMENT_MAX });
  if ('fault' in read) throw errors.invalid(`${place}: content: ${read.fault}`);
  return read.operations;
}

/** The files below a directory, by their digests. */
function textsIn(directory: string): Map<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => join(directory, name)).filter((file) => statSync(file).isFile());
  return new Map(files.map((file) => [hash('sha256', readFileSync(file), 'hex'), file]));
}

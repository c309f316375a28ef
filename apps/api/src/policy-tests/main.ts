/**
 * `agent-gateway test`: what the rules of a configuration file decide about the requests of case files
 * (docs/rules.md#test). Needs no database and no network.
 */
import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { ApiError } from '../platform/errors.js';
import { parseJsonObject } from '../platform/http/json-parser.js';
import { yamlToJson } from '../platform/http/yaml-to-json.mjs';
import { readCases, type CaseFile } from './case-file.js';
import { configuredOperations } from './configured-documents.js';
import { configuredWorkspace, type ReadConfiguration } from './configured-workspace.js';
import { decideCase, type FindDocumented } from './decided-case.js';
import { difference } from './difference.js';
import { CaseFault, caseTitle } from './policy-case.js';
import { withDecision } from './updated-case.js';

export interface TestOrder {
  /** The configuration file. */
  config: string;
  /** The directory with the texts of documents. Null: none. */
  documents: string | null;
  /** Writes what was decided into the case files. */
  update: boolean;
  cases: readonly string[];
}

export interface TestOutput {
  say: (line: string) => void;
  /** What is unknown, and may change a decision. */
  warn: (line: string) => void;
  /** What can't be read. */
  fail: (line: string) => void;
}

/** A file that can't be read. */
class FileFault extends Error {}

/** @returns the exit code: 0 as expected, 1 something differs, 2 something can't be read */
export async function testPolicy(order: TestOrder, { say, warn, fail }: TestOutput): Promise<number> {
  try {
    const read = readConfiguration(order.config);
    const files = order.cases.map((file) => readCases(file, readText(file)));
    const findDocumented = await readDocuments(read, order, warn);
    return await new PolicyTest(read, findDocumented, order.update, say, fail).run(files);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    fail(error.message);
    return 2;
  }
}

class PolicyTest {
  private count = 0;
  private differing = 0;

  constructor(
    private readonly read: ReadConfiguration,
    private readonly findDocumented: FindDocumented,
    private readonly update: boolean,
    private readonly say: (line: string) => void,
    private readonly fail: (line: string) => void,
  ) {}

  async run(files: readonly CaseFile[]): Promise<number> {
    const lines: string[] = [];
    const changed: CaseFile[] = [];
    for (const file of files) if (await this.runFile(file, lines)) changed.push(file);
    const faults = files.flatMap(({ file, faults: all }) =>
      all.map(({ line, message }) => `${file}:${line}  ${message}`),
    );
    if (faults.length > 0) {
      faults.forEach((fault) => this.fail(fault));
      return 2;
    }
    const { count, differing } = this;
    if (this.update) {
      for (const { file, document } of changed) writeFileSync(file, document.toString({ lineWidth: 0 }));
      this.say(`${counted(count)}, ${differing} updated`);
      return 0;
    }
    lines.forEach((line) => this.say(line));
    this.say(`${counted(count)}, ${differing} ${differing === 1 ? 'differs' : 'differ'}`);
    return differing > 0 ? 1 : 0;
  }

  /** @returns whether the document has changed */
  private async runFile({ file, document, cases, faults }: CaseFile, lines: string[]): Promise<boolean> {
    let isChanged = false;
    for (const [index, each] of cases.entries()) {
      try {
        const got = await decideCase(each, this.read.workspace, this.findDocumented);
        this.count += 1;
        if (each.expect === null && !this.update)
          throw new CaseFault(each.line, 'expect: is missing; --update writes it');
        const found = each.expect === null ? 'new' : difference(each.expect, got);
        if (found === null) continue;
        this.differing += 1;
        lines.push(`${file}:${each.line}  ${caseTitle(each)}: ${found}`);
        withDecision(document, index, each.expect, got);
        isChanged = true;
      } catch (error) {
        if (!(error instanceof CaseFault)) throw error;
        faults.push(error);
      }
    }
    return isChanged;
  }
}

async function readDocuments(
  { configuration }: ReadConfiguration,
  { config, documents }: TestOrder,
  warn: (line: string) => void,
): Promise<FindDocumented> {
  try {
    return await configuredOperations(configuration, documents, warn);
  } catch (error) {
    if (error instanceof ApiError) throw new FileFault(`${config}: ${error.message}`);
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (documents !== null && syscall !== undefined) {
      throw new FileFault(`${documents}: ${code === 'ENOENT' ? 'there is no such directory' : message}`);
    }
    throw error;
  }
}

const counted = (count: number): string => (count === 1 ? '1 case' : `${count} cases`);

function readConfiguration(file: string): ReadConfiguration {
  const bytes = readBytes(file);
  try {
    return configuredWorkspace(parseJsonObject(/\.json$/i.test(file) ? bytes : toJson(file, bytes), undefined));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new FileFault([`${file}: ${error.message}`, error.next].filter(Boolean).join('\n  '));
  }
}

function toJson(file: string, bytes: Uint8Array): Uint8Array {
  const read = yamlToJson(bytes);
  if ('fault' in read) throw new FileFault(`${file}: invalid YAML: ${read.fault}`);
  return Buffer.from(read.json);
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(file));
  } catch (error) {
    throw error instanceof TypeError ? new FileFault(`${file}: is not UTF-8 text`) : error;
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FileFault(`${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`);
  }
}

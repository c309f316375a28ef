import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { OPERATIONS_PER_DOCUMENT_MAX } from '#contracts/limits';
import type { DocumentType } from '#contracts/states';
import { errors } from '../platform/errors.js';
import type { ReadDocument } from './openapi-operations.mjs';

/** The types of documents that have operations. */
export type ReadType = Extract<DocumentType, 'openapi' | 'mcp'>;
export const isRead = (type: DocumentType): type is ReadType => type === 'openapi' || type === 'mcp';

type WorkerAnswer = ReadDocument | { fault: string };

const TIMEOUT_MS = 30_000;
/** 10 MB of YAML use about half of it; JSON of the largest allowed size uses less. */
const HEAP_MAX_MB = 1024;

/**
 * Parses OpenAPI documents and lists of MCP tools in a worker thread. It parses one at a time, because two large ones would need twice the
 * memory.
 */
@Injectable()
export class OpenApiReader {
  private readonly limit = pLimit(1);

  /** @throws ApiError 400 that says what is wrong with the document and where */
  read(content: string, type: ReadType = 'openapi'): Promise<ReadDocument> {
    return this.limit(readInWorker, content, type);
  }
}

function readInWorker(content: string, type: ReadType): Promise<ReadDocument> {
  return new Promise((resolve, reject) => {
    const refuse = (fault: string): void => reject(errors.invalid(`content: ${fault}`));
    // The worker is a plain JavaScript module, so that the thread can load it both from the sources (in tests) and from
    // the build.
    const worker = new Worker(new URL('./openapi-worker.mjs', import.meta.url), {
      workerData: { type, content, maxOperations: OPERATIONS_PER_DOCUMENT_MAX },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
      execArgv: [],
    });
    const timer = setTimeout(() => {
      refuse('takes too long to read; JSON is read faster than YAML');
      void worker.terminate();
    }, TIMEOUT_MS);
    worker.once('message', (answer: WorkerAnswer) => {
      if ('fault' in answer) refuse(answer.fault);
      else resolve(answer);
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse('needs too much memory to read; JSON needs less than YAML');
      else reject(errors.unexpected(error));
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(errors.unexpected(new Error('the OpenAPI thread ended without a result')));
    });
  });
}

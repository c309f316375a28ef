// @ts-check
// Runs in its own thread, because parsing a document of many megabytes would delay every other request of the process.
import { parentPort, workerData } from 'node:worker_threads';
import { readTools } from './mcp-tools.mjs';
import { takeApart } from './openapi-operations.mjs';
import { DocumentFault, readSource } from './openapi-source.mjs';

/** @returns {import('./openapi-operations.mjs').ReadDocument | { fault: string }} */
function read() {
  try {
    const { type, content, maxOperations } = workerData;
    return type === 'mcp' ? readTools(content, maxOperations) : takeApart(readSource(content), maxOperations);
  } catch (error) {
    if (error instanceof DocumentFault) return { fault: error.message };
    // The parsers are recursive. No real document is nested this deeply.
    if (error instanceof RangeError) return { fault: 'is nested too deeply' };
    throw error;
  }
}

parentPort?.postMessage(read());

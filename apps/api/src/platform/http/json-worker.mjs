// @ts-check
// Runs in a thread of its own: a body of many megabytes would hold up every request of the process.
import { parentPort } from 'node:worker_threads';
import { parseSafely } from './safe-json.mjs';

parentPort?.on('message', ({ bytes, limits }) => parentPort?.postMessage(parseSafely(bytes, limits)));

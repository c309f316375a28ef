// @ts-check
// Runs in its own thread, because parsing a body of many megabytes would delay every other request of the process.
import { parentPort } from 'node:worker_threads';
import { parseSafely } from './safe-json.mjs';

parentPort?.on('message', ({ bytes, limits }) => parentPort?.postMessage(parseSafely(bytes, limits)));

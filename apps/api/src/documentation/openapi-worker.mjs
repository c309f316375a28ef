// @ts-check
// Runs in its own thread, because parsing a document of many megabytes would delay every other request of the process.
import { parentPort, workerData } from 'node:worker_threads';
import { readDocument } from './read-document.mjs';

parentPort?.postMessage(readDocument(workerData));

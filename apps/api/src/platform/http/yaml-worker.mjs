// @ts-check
// Runs in its own thread, because reading YAML takes long, and a hostile author can make it take much longer.
import { parentPort, workerData } from 'node:worker_threads';
import { yamlToJson } from './yaml-to-json.mjs';

parentPort?.postMessage(yamlToJson(workerData));

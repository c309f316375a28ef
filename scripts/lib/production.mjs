/** How production starts the gateway. Measurements and tests start it the same way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './toolchain.mjs';

/** @type {{ scripts: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * A setting of glibc: larger blocks go back to the system when they are freed. By default glibc raises this limit with
 * each large block, and then keeps the memory of large bodies: see benchmarks/README.md.
 */
export const ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Node's arguments from `npm run start:prod`: its flags, and the absolute path of the program. */
export const START = manifest.scripts['start:prod']
  .split(' ')
  .slice(1)
  .map((argument) => (argument.startsWith('-') ? argument : join(ROOT, argument)));

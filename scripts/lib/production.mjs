/** How the gateway is started in production: whatever measures or tries it starts it the same way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './toolchain.mjs';

/** @type {{ scripts: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * glibc's: whatever is larger is given back to the system when it is freed. By itself glibc raises this limit with each
 * large block that it sees, and keeps what bodies of megabytes have taken: see benchmarks/README.md.
 */
export const ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Node's arguments, from `npm run start:prod`: its flags, and the program by its whole path. */
export const START = manifest.scripts['start:prod']
  .split(' ')
  .slice(1)
  .map((argument) => (argument.startsWith('-') ? argument : join(ROOT, argument)));

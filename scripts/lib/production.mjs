/** How the gateway is started in production: whatever measures or tries it starts it the same way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './toolchain.mjs';

/** @type {{ scripts: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Node's arguments, from `npm run start:prod`: its flags, and the program by its whole path. */
export const START = manifest.scripts['start:prod']
  .split(' ')
  .slice(1)
  .map((argument) => (argument.startsWith('-') ? argument : join(ROOT, argument)));

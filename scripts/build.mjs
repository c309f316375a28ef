/** Builds dist/, unless it is the build of the present sources. */
import { step } from './lib/lines.mjs';
import { buildIfNeeded } from './lib/toolchain.mjs';

await buildIfNeeded(step);

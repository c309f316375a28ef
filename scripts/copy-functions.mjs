/** A step of `npm run build:api`. */
import { copyFunctions } from './lib/toolchain.mjs';

copyFunctions();

// Lets Node run the TypeScript of this repository: `node --conditions=agw-source --import ./scripts/lib/typescript.mjs FILE`.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);

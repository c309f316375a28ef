/** Makes each call site of the built gateway able to fail, when Node loads its files. */
import { fileURLToPath } from 'node:url';
import { plant } from './call-sites.cjs';

const OURS = /\/dist\/(?:apps|libs)\//;

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!OURS.test(url)) return loaded;
  return {
    ...loaded,
    source: plant(fileURLToPath(url), Buffer.from(/** @type {Uint8Array} */ (loaded.source)).toString()),
  };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, which stands at the top of the repository and of the image. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

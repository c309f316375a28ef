import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, which is in the top folder of the repository and of the image. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 64 * 1024;

/** Why a file gives no secret. The text follows the name of the variable, and has neither path nor content. */
export class SecretFileError extends Error {}

/**
 * Reads the secret that a variable such as `LLM_API_KEY_FILE` names. Secrets of Kubernetes and systemd are files.
 * @throws SecretFileError
 */
export function readSecretFile(path: string): string {
  const bytes = readBytes(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    throw new SecretFileError('must name a file with UTF-8 text');
  }
  if (text === '') throw new SecretFileError('names an empty file');
  if (text.includes('\0')) throw new SecretFileError('must name a file without NUL');
  return text;
}

function readBytes(path: string): Buffer {
  let file: number | undefined;
  try {
    // Without it, the gateway would wait for somebody who writes into a named pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) throw new SecretFileError('must name a regular file');
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > MAX_BYTES) throw new SecretFileError('must name a file of at most 64 kB');
    return bytes.subarray(0, length);
  } catch (error) {
    if (error instanceof SecretFileError) throw error;
    throw new SecretFileError('names a file that cannot be read');
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

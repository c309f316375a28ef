// @ts-check
import { LineCounter, parseDocument } from 'yaml';

/**
 * Reads YAML without features that JSON lacks.
 * @param {Uint8Array} bytes
 * @returns {{ json: string } | { fault: string }} `fault` says where it is
 */
export function yamlToJson(bytes) {
  try {
    const lines = new LineCounter();
    const document = parseDocument(new TextDecoder('utf-8', { fatal: true }).decode(bytes), {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) {
      const { line, col } = lines.linePos(fault.pos[0]);
      return { fault: `${fault.code.toLowerCase().replaceAll('_', ' ')} at line ${line}, column ${col}` };
    }
    // A few aliases can stand for more values than the memory holds.
    return { json: JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? 'null' };
  } catch (error) {
    if (error instanceof ReferenceError) return { fault: 'aliases are not allowed' };
    if (error instanceof RangeError) return { fault: 'it is nested too deeply' };
    if (error instanceof TypeError) return { fault: 'it is not UTF-8 text' };
    throw error;
  }
}

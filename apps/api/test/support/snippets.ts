import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

/** A code block of the documentation that is marked `run`, with the `output` block below it. */
export interface Snippet {
  language: string;
  code: string;
  /** Lines that the snippet must print. */
  lines: string[];
  /** Fields that the last printed line, as JSON, must contain. */
  json: object | null;
}

/** @param section the `<a id>` of a heading: only the snippets below this heading */
export function readSnippets(document: string, section?: string): Snippet[] {
  const text = readFileSync(document, 'utf8');
  const wanted =
    section === undefined ? text : text.split(/^## /m).find((each) => each.includes(`<a id="${section}">`));
  if (wanted === undefined) throw new Error(`${document}: no section ${section}`);
  const snippets: Snippet[] = [];
  for (const [, language, kind, code] of wanted.matchAll(/^```(\w+) (run|output)\n([^]*?)^```$/gm)) {
    if (kind === 'run') snippets.push({ language, code, lines: [], json: null });
    else if (language === 'json') snippets.at(-1)!.json = JSON.parse(code) as object;
    else snippets.at(-1)!.lines = code.trimEnd().split('\n');
  }
  return snippets;
}

/** Converts a snippet to the code that Node runs. */
export const toJavaScript = (code: string): string =>
  transpileModule(code, { compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 } }).outputText;

/**
 * Runs a program to its end.
 * @returns its output, errors included
 */
export function runProgram(
  program: string,
  args: string[],
  { cwd, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

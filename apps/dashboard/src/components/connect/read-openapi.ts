/** What the form takes from an OpenAPI document, read in the browser. The server reads it again, and is the judge. */
export interface OpenApiFacts {
  title: string | null;
  /** The first server's absolute address. */
  baseUrl: string | null;
  operations: number;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']);
type Tree = Record<string, unknown>;
const tree = (value: unknown): Tree => (typeof value === 'object' && value !== null ? (value as Tree) : {});
const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** @throws Error that says why this is no OpenAPI document */
export async function readOpenApi(content: string): Promise<OpenApiFacts> {
  const document = tree(await parse(content));
  if (!document['openapi'] && !document['swagger']) throw new Error('neither openapi nor swagger is named in it');
  const operations = Object.values(tree(document['paths'])).reduce<number>(
    (count, path) => count + Object.keys(tree(path)).filter((key) => METHODS.has(key)).length,
    0,
  );
  return { title: text(tree(document['info'])['title']), baseUrl: serverOf(document), operations };
}

async function parse(content: string): Promise<unknown> {
  if (/^\s*[{[]/.test(content)) return JSON.parse(content);
  // Only who brings YAML pays for its parser.
  const { parse: parseYaml } = await import('yaml');
  return parseYaml(content, { maxAliasCount: 100 });
}

function serverOf(document: Tree): string | null {
  const servers = document['servers'];
  const first = Array.isArray(servers) ? text(tree(servers[0])['url']) : null;
  const host = text(document['host']);
  const schemes = document['schemes'];
  const scheme = Array.isArray(schemes) ? (schemes.find((each) => each === 'https') ?? schemes[0]) : 'https';
  const address = first ?? (host ? `${String(scheme)}://${host}${text(document['basePath']) ?? ''}` : null);
  return address && /^https?:\/\//.test(address) && !/[{}?#]/.test(address) ? address.replace(/\/+$/, '') : null;
}

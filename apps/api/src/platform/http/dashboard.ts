import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { static as serveStatic, type NextFunction, type Request, type RequestHandler, type Response } from 'express';

/** `npm run build` puts the dashboard beside the API. The process runs in the top folder of the repository or image. */
const DASHBOARD = join(process.cwd(), 'dist', 'dashboard');
const INDEX = join(DASHBOARD, 'index.html');
const PREFIX = '/dashboard';

const files: RequestHandler = serveStatic(DASHBOARD, {
  index: false,
  redirect: false,
  setHeaders: (response: Response, path: string) => {
    // Vite puts a content hash into the names of the files in assets/.
    const immutable = path.startsWith(join(DASHBOARD, 'assets'));
    response.setHeader('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
});

/** Compressed forms that the build puts beside each file. The smallest comes first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/**
 * Serves the built dashboard under /dashboard, with the index for every page of it, and redirects `/` to it
 * (docs/reference/http.md#paths).
 */
export function dashboard(request: Request, response: Response, next: NextFunction): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && request.path === '/') response.redirect(302, PREFIX);
  else if (reads && (request.path === PREFIX || request.path.startsWith(`${PREFIX}/`))) serve(request, response, next);
  else next();
}

function serve(request: Request, response: Response, next: NextFunction): void {
  if (sendCompressed(request, response)) return;
  const whole = request.url;
  request.url = whole.slice(PREFIX.length) || '/';
  files(request, response, (error?: unknown) => {
    request.url = whole;
    if (error !== undefined) next(error);
    else if (request.path.startsWith(`${PREFIX}/assets/`) || !existsSync(INDEX)) next();
    else response.sendFile(INDEX, { headers: { 'Cache-Control': 'no-cache' } });
  });
}

/** Sends the compressed form of an asset if the build created one and the browser accepts it. */
function sendCompressed(request: Request, response: Response): boolean {
  const name = /^\/dashboard\/assets\/([\w.-]+\.(?:js|css|svg))$/.exec(request.path)?.[1];
  const encoding = name && ENCODINGS.find((each) => request.acceptsEncodings(each.name) === each.name);
  const file = encoding && join(DASHBOARD, 'assets', `${name}${encoding.suffix}`);
  if (!file || !existsSync(file)) return false;
  response.type(extname(name)).vary('Accept-Encoding').set('Content-Encoding', encoding.name);
  response.sendFile(file, { maxAge: '1y', immutable: true });
  return true;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { static as serveStatic, type NextFunction, type Request, type RequestHandler, type Response } from 'express';

/** `npm run build` puts the dashboard beside the API; both start from the repository's (or image's) top. */
const DASHBOARD = join(process.cwd(), 'dist', 'dashboard');
const INDEX = join(DASHBOARD, 'index.html');
const PREFIX = '/dashboard';

const files: RequestHandler = serveStatic(DASHBOARD, {
  index: false,
  redirect: false,
  setHeaders: (response: Response, path: string) => {
    // Vite names what stands in assets/ by its content.
    const immutable = path.startsWith(join(DASHBOARD, 'assets'));
    response.setHeader('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
});

/** Serves the built dashboard under /dashboard, its index for every page of it, and leads `/` there (contract 1). */
export function dashboard(request: Request, response: Response, next: NextFunction): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && request.path === '/') response.redirect(302, PREFIX);
  else if (reads && (request.path === PREFIX || request.path.startsWith(`${PREFIX}/`))) serve(request, response, next);
  else next();
}

function serve(request: Request, response: Response, next: NextFunction): void {
  const whole = request.url;
  request.url = whole.slice(PREFIX.length) || '/';
  files(request, response, (error?: unknown) => {
    request.url = whole;
    if (error !== undefined) next(error);
    else if (request.path.startsWith(`${PREFIX}/assets/`) || !existsSync(INDEX)) next();
    else response.sendFile(INDEX, { headers: { 'Cache-Control': 'no-cache' } });
  });
}

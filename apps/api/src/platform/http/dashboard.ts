import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';

/** `npm run build` puts the dashboard beside the API; both start from the repository's (or image's) top. */
const DASHBOARD = join(process.cwd(), 'dist', 'dashboard');

/** Serves the built dashboard under /dashboard, its index for every page of it, and leads `/` there (contract 1). */
export function serveDashboard(app: NestExpressApplication): void {
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.path === '/' && (request.method === 'GET' || request.method === 'HEAD'))
      response.redirect(302, '/dashboard');
    else next();
  });
  app.useStaticAssets(DASHBOARD, {
    prefix: '/dashboard/',
    index: false,
    redirect: false,
    setHeaders: (response: Response, path: string) => {
      // Vite names what stands in assets/ by its content.
      const immutable = path.startsWith(join(DASHBOARD, 'assets'));
      response.setHeader('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.use('/dashboard', (request: Request, response: Response, next: NextFunction) => {
    const index = join(DASHBOARD, 'index.html');
    const page = (request.method === 'GET' || request.method === 'HEAD') && !request.path.startsWith('/assets/');
    if (page && existsSync(index)) response.sendFile(index, { headers: { 'Cache-Control': 'no-cache' } });
    else next();
  });
}

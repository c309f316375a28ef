import helmet from 'helmet';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config.js';

/**
 * Sets browser policies. The dashboard and the documentation page get a strict policy. API responses are not pages, so
 * they only get the headers that keep a browser from treating them as pages.
 */
export function securityHeaders(config: HttpConfig): RequestHandler {
  const https = config.publicUrl?.startsWith('https://') ?? false;
  const page = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // Mantine sets sizes and colours through style attributes and one generated style element.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        workerSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: https ? { maxAge: 31_536_000 } : false,
    xXssProtection: false,
  }) as RequestHandler;
  return (request, response, next) => {
    if (request.path.startsWith('/dashboard') || request.path.startsWith('/docs')) {
      page(request, response, next);
      return;
    }
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
    response.setHeader('Cache-Control', 'no-store');
    if (https) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    next();
  };
}

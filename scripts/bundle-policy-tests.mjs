/**
 * The last step of `npm run build:api`: puts `agent-gateway test` with all its packages into one file. Loading a thousand
 * small files takes longer than 500 cases (`benchmarks/README.md#policy-tests`).
 */
import { join } from 'node:path';
import { build } from 'vite';
import { ROOT } from './lib/toolchain.mjs';

await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  ssr: { noExternal: true },
  resolve: { conditions: ['node', 'import', 'default'] },
  build: {
    ssr: join(ROOT, 'dist/apps/api/src/policy-tests/main.js'),
    outDir: join(ROOT, 'dist/apps/policy-tests'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rollupOptions: {
      external: [
        // Nest tries to load them, and goes on without them.
        /^@nestjs\/(microservices|websockets|platform-)/,
        /^swagger-ui-dist/,
        /^@fastify\//,
        // Nest loads its store of fields when it runs. With a second store in the file, derived classes had no nested
        // objects, and a configuration with a limit was refused.
        /^class-transformer(\/|$)/,
      ],
    },
  },
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * Names of the installed packages, also nested ones, that are ES modules. Jest runs CommonJS, so swc must translate
 * them.
 */
function esmPackages(root = 'node_modules') {
  const names = readdirSync(root).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(root, name)).map((sub) => `${name}/${sub}`) : [name],
  );
  return names.flatMap((name) => {
    const manifest = join(root, name, 'package.json');
    const isEsm = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
    const nested = join(root, name, 'node_modules');
    return [...(isEsm ? [name] : []), ...(existsSync(nested) ? esmPackages(nested) : [])];
  });
}

const swc = (parser, extra = {}) => [
  '@swc/jest',
  {
    jsc: { parser, target: 'es2022', keepClassNames: true, ...extra },
    module: { type: 'commonjs' },
    sourceMaps: true,
  },
];

const shared = {
  rootDir: '.',
  setupFiles: ['<rootDir>/test/v8-flags.cjs'],
  testEnvironmentOptions: { customExportConditions: ['agw-source', 'node', 'require', 'default'] },
  transform: {
    '^.+\\.tsx?$': swc(
      { syntax: 'typescript', decorators: true },
      { transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false } },
    ),
    '^.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages().join('|')})/)`],
  resolver: '<rootDir>/test/resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/libs/client/dist', '<rootDir>/.data', '<rootDir>/.tmp'],
};

/** A worker with its gateway, database and browser takes up to 1.5 GB. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
const workersInMemory = Math.floor(memory / (1.5 * 1024 ** 3));

const database = {
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
};

/**
 * `unit` needs only Node; `e2e` gets its own PostgreSQL (test/global-setup.mjs); `browser` also needs a Chromium. The
 * drills take long: `npm run drills` runs them, and `npm test` the others.
 */
export default {
  // Tests often wait: for the database, a browser, a time limit. With four workers more than processors, statements run
  // out of time.
  maxWorkers: Math.max(1, Math.min(availableParallelism() + 2, workersInMemory)),
  workerIdleMemoryLimit: '900MB',
  testSequencer: '<rootDir>/test/sequencer.cjs',
  // A busy machine needs more time. The timeout only finds tests that hang; no test asserts it.
  testTimeout: 900_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,scripts}/**/src/**/*.spec.ts', '<rootDir>/{evaluation,scripts}/**/*.spec.ts'],
    },
    { ...shared, ...database, displayName: 'e2e', testMatch: ['<rootDir>/apps/api/test/**/*.e2e.ts'] },
    { ...shared, ...database, displayName: 'browser', testMatch: ['<rootDir>/apps/dashboard/test/**/*.e2e.ts'] },
    { ...shared, ...database, displayName: 'drills', testMatch: ['<rootDir>/apps/api/test/**/*.drill.ts'] },
    {
      ...shared,
      ...database,
      displayName: 'browser-drills',
      testMatch: ['<rootDir>/apps/dashboard/test/**/*.drill.ts'],
    },
  ],
};

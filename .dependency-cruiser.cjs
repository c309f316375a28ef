/** The import rules (ARCHITECTURE.md, "The parts"): a part imports only from parts of lower rank. */

const RANKS = require('./scripts/lib/part-ranks.cjs');

const API = '^apps/api/src/';
const SPEC = '[.](spec|e2e|drill)[.]tsx?$';

const folder = (names) => `${API}(${names.join('|')})/`;

/** The folders of a part from low to high; '.' are the files beside them. Any other folder is refused. */
const INNER_RANKS = {
  auth: ['.', 'passkeys', 'oidc'],
  channels: ['media', '.'],
  credentials: ['kinds', '.'],
  mcp: ['tools', '.'],
  platform: ['fast-lane', '.', 'http'],
  risk: ['limits', '.'],
};
/** `health/` and the files beside the folders (main.ts, app.module.ts, …) can import every part. */
const TOP = `${folder(['health'])}|${API}[^/]+$`;

/** A part imports nothing of a higher rank, no other part of its own rank, and no file beside the folders. */
const ranks = RANKS.flatMap((names, rank) =>
  names.map((name) => {
    const others = RANKS.slice(rank)
      .flat()
      .filter((other) => other !== name);
    return {
      name: `rank-of-${name}`,
      comment: `${name}/ must not import ${[...others, 'health'].join(', ')} or the files beside the folders`,
      severity: 'error',
      from: { path: folder([name]), pathNot: SPEC },
      to: { path: others.length > 0 ? `${folder(others)}|${TOP}` : TOP },
    };
  }),
);

const inner = (part, name) => (name === '.' ? `${API}${part}/[^/]+$` : `${API}${part}/${name}/`);

/** A folder of a part imports nothing of a higher one. The module of a part lists what is in all of them. */
const innerRanks = Object.entries(INNER_RANKS).flatMap(([part, names]) =>
  names.slice(0, -1).map((name, rank) => ({
    name: `rank-of-${name === '.' ? part : name}-in-${part}`,
    comment: `The folders of ${part}/ are, from low to high: ${names.join(', ')}`,
    severity: 'error',
    from: { path: inner(part, name), pathNot: `${SPEC}|[.]module[.]ts$` },
    to: {
      path: names
        .slice(rank + 1)
        .map((other) => inner(part, other))
        .join('|'),
    },
  })),
);
const ranked = Object.entries(INNER_RANKS).map(
  ([part, names]) => `${part}/(${names.filter((name) => name !== '.').join('|')})/`,
);

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      comment: 'An import that cannot be resolved escapes every other rule',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'production-dependencies',
      comment: 'The image has no devDependencies',
      severity: 'error',
      from: { path: '^(apps/api/src|libs)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    ...ranks,
    ...innerRanks,
    {
      name: 'folders-in-parts-have-a-rank',
      comment: 'Name the rank of the folder in INNER_RANKS',
      severity: 'error',
      from: { path: `${API}[^/]+/[^/]+/`, pathNot: `${API}(${ranked.join('|')})` },
      to: {},
    },
    {
      name: 'contracts-stand-alone',
      severity: 'error',
      from: { path: '^libs/contracts/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/contracts/' },
    },
    {
      name: 'client-imports-nothing',
      comment: 'It is published as a package and also runs without Node; only tests import it',
      severity: 'error',
      from: { path: '^libs/client/src/', pathNot: SPEC },
      to: { pathNot: '^libs/client/src/' },
    },
    {
      name: 'nobody-imports-the-client',
      severity: 'error',
      from: { path: '^(apps/[^/]+|libs/[^/]+)/src/', pathNot: `^libs/client/|${SPEC}` },
      to: { path: '^libs/client/' },
    },
    {
      name: 'catalogue-is-data',
      comment: 'The dashboard bundles it; only its schema, which it takes types of, needs zod',
      severity: 'error',
      from: { path: '^libs/catalogue/', pathNot: `schema[.]ts$|${SPEC}` },
      to: {
        path: '^(apps|libs)/|node_modules/|libs/catalogue/src/schema',
        pathNot: '^libs/catalogue/src/(?!schema)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'egress-is-a-leaf',
      comment: 'Without Nest, TypeORM and config it can be read and tested on its own',
      severity: 'error',
      from: { path: '^libs/egress/', pathNot: SPEC },
      to: {
        path: '^(apps|libs)/|node_modules/(@nestjs|typeorm|pg|class-validator)/',
        pathNot: '^libs/egress/',
      },
    },
    {
      name: 'database-without-nest',
      severity: 'error',
      from: { path: '^libs/database/', pathNot: SPEC },
      to: { path: '^(apps|libs/egress)/|node_modules/@nestjs/' },
    },
    {
      name: 'database-takes-types-of-contracts',
      severity: 'error',
      from: { path: '^libs/database/', pathNot: SPEC },
      to: {
        path: '^libs/contracts/',
        pathNot: '^libs/contracts/src/(states|channel-states|limits|headers|rule-presets)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-those-who-send-secrets-see-the-vault',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: `${folder(['credentials', 'connections', 'services', 'proxy'])}|${SPEC}|^apps/api/test/`,
      },
      to: { path: `${API}credentials/credential-vault[.]ts$` },
    },
    {
      name: 'no-part-imports-tests',
      severity: 'error',
      from: { path: '^(apps/[^/]+|libs/[^/]+)/src/', pathNot: SPEC },
      to: { path: `${SPEC}|^apps/[^/]+/test/` },
    },
    {
      name: 'dashboard-sees-contracts-only',
      severity: 'error',
      from: { path: '^apps/dashboard/src/', pathNot: SPEC },
      to: {
        path: '^(apps|libs)/|node_modules/(@nestjs|typeorm|pg|class-validator|class-transformer|reflect-metadata)/',
        pathNot: '^(apps/dashboard|libs/contracts|libs/catalogue)/',
      },
    },
    {
      name: 'dashboard-takes-types-of-contracts',
      comment: 'The request classes import Nest and class-validator, so take constants from the files without imports',
      severity: 'error',
      from: { path: '^apps/dashboard/src/', pathNot: SPEC },
      to: {
        path: '^libs/contracts/',
        pathNot:
          '^libs/contracts/src/(states|channel-states|limits|headers|rule-presets|callback-hosts|device-name|effects|encoded-text|mail-text|searched-numbers)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'dashboard-lib-and-components-are-the-ground',
      severity: 'error',
      from: { path: '^apps/dashboard/src/(lib|components)/', pathNot: SPEC },
      to: { path: '^apps/dashboard/src/(features|app)/|^apps/dashboard/src/[^/]+$' },
    },
    {
      name: 'dashboard-features-below-app',
      severity: 'error',
      from: { path: '^apps/dashboard/src/features/', pathNot: SPEC },
      to: { path: '^apps/dashboard/src/app/|^apps/dashboard/src/[^/]+$' },
    },
    {
      name: 'dashboard-features-apart',
      severity: 'error',
      from: { path: '^apps/dashboard/src/features/([^/]+)/', pathNot: SPEC },
      to: { path: '^apps/dashboard/src/features/', pathNot: '^apps/dashboard/src/features/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['agw-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
};

import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Each of these has one home in the API: tests can set the time, and only one file reads the environment. */
const ENVIRONMENT = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in platform/load-config.ts only: take the config group you need.',
};
const TIME = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time from Clock (platform/clock.ts), so that tests can move it.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time from Clock (platform/clock.ts), so that tests can move it.',
  },
];
/** Names of tables and columns may stand in SQL, and other SQL. */
const SQL_VALUES = [
  'Identifier[name=/(^id|Id|Ids|Email)$/]',
  'MemberExpression[property.name=/(^id|Id|Ids|email|name)$/]',
].map((value) => ({
  selector: `TemplateLiteral[quasis.0.value.raw=/^\\s*(SELECT|INSERT|UPDATE|DELETE|WITH|DECLARE)\\s/] > ${value}`,
  message: 'Values never stand in SQL as text: pass a parameter.',
}));
const FETCH = {
  name: 'fetch',
  message: 'Upstreams are reached through #egress, the model through the openai client: both have limits.',
};
/** They throw for malformed text, or decode it in a way of their own. */
const DECODERS = ['decodeURIComponent', 'decodeURI', 'unescape'].map((name) => ({
  name,
  message: 'Take a decoder of platform/percent-decoding.mjs: their names say what they decode.',
}));

const CAN_PARSE = {
  object: 'URL',
  property: 'canParse',
  message: 'It is wrong about Latin-1 in Node 20: use parseUrl of #egress.',
};

/** Most processes never use these libraries, and together they take 10 MB. */
const LOADED_AT_FIRST_USE = [
  {
    regex: '^(@modelcontextprotocol/sdk|@simplewebauthn/server|graphql$|nodemailer|yaml)',
    allowTypeImports: true,
    message: 'Load it by `await import()` where it is first used (of graphql: import the part that you need).',
  },
];

/** Live updates find queries by the beginnings of their keys. */
const QUERY_KEYS = {
  selector: "Property[key.name='queryKey'] > ArrayExpression",
  message: 'Keys of queries are written in lib/query-keys.ts only.',
};

/** A table of texts has one name. */
const TEXTS = [
  {
    selector: "ImportDeclaration[source.value!='./messages.js'] > ImportSpecifier[imported.name='messages']",
    message: '`messages` are the texts of the own folder: give a table that others use a name of its own.',
  },
  {
    selector: 'ImportSpecifier[imported.name=/[mM]essages$/]:not([local.name=/[mM]essages$/])',
    message: 'A table of texts has one name: import it without `as`.',
  },
];

const typed = [
  'apps/**/*.{ts,tsx}',
  'evaluation/**/*.ts',
  'libs/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  'test/**/*.{ts,mjs}',
  'benchmarks/**/*.ts',
];

export default tseslint.config(
  { ignores: ['**/dist', 'node_modules', '.data', '.tmp', 'coverage', 'apps/dashboard/public'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  // Many patterns here match NUL, CR and similar characters on purpose.
  { rules: { 'no-control-regex': 'off' } },
  { files: ['**/*.{mjs,cjs,js}'], languageOptions: { globals: globals.node } },
  {
    files: typed,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // An async function without await still turns what it throws into a rejection.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['apps/api/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ENVIRONMENT, ...TIME, ...SQL_VALUES],
      'no-restricted-globals': ['error', FETCH, ...DECODERS],
      'no-restricted-properties': ['error', CAN_PARSE],
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: LOADED_AT_FIRST_USE }],
    },
  },
  {
    files: ['apps/api/src/**/*.mjs'],
    ignores: ['apps/api/src/platform/percent-decoding.mjs'],
    rules: { 'no-restricted-globals': ['error', ...DECODERS] },
  },
  // Their own importers load them at their first use.
  {
    files: ['apps/api/src/mcp/sdk.ts', 'apps/api/src/policy-tests/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['apps/api/src/platform/load-config.ts'],
    rules: { 'no-restricted-syntax': ['error', ...TIME, ...SQL_VALUES] },
  },
  {
    files: ['apps/api/src/platform/clock.ts'],
    rules: { 'no-restricted-syntax': ['error', ENVIRONMENT, ...SQL_VALUES] },
  },
  // A unit test may be outside of the module that it tests.
  {
    files: ['apps/api/src/**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/no-restricted-imports': 'off',
    },
  },
  {
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.flat.recommended.rules,
      'no-restricted-syntax': ['error', QUERY_KEYS, ...TEXTS],
      // These rules are about React's compiler, which this project does not use.
      'react-hooks/incompatible-library': 'off',
    },
  },
  {
    // Parsed JSON and the output of other programs are `any` in plain JavaScript, which has no type assertions.
    files: ['**/*.mjs'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Responses of servers under test are `any` until an expectation checks them.
    files: ['**/*.spec.ts', '**/*.e2e.ts', 'apps/*/test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);

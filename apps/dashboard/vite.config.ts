import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Compresses immutable files once, at build time. The gateway serves the best encoding that the browser accepts. */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle({ dir }) {
    const assets = join(dir!, 'assets');
    for (const name of readdirSync(assets).filter((each) => /\.(js|css|svg)$/.test(each))) {
      const content = readFileSync(join(assets, name));
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};

// React's development build is three times as large. The NODE_ENV of a test or a shell must not select it.
const alwaysProduction: Plugin = {
  name: 'always-production',
  config: (_config, { command }) => {
    if (command === 'build') process.env.NODE_ENV = 'production';
  },
};

const routerInProduction = join(import.meta.dirname, '../../node_modules/react-router/dist/production/index.mjs');

/**
 * Fails the build if a component lacks its styles, or if src/mantine.css imports unused styles, which slow down phones.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const ids = chunks.flatMap(({ moduleIds }) => moduleIds).join('\n');
    const modules = Array.from(ids.matchAll(/@mantine\/core\/.*\/(\w+)\.module\.mjs$/gm), ([, name]) => name!);
    const css = readFileSync(join(import.meta.dirname, 'src/mantine.css'), 'utf8');
    const imported = Array.from(css.matchAll(/styles\/([A-Z]\w+)\.layer\.css/g), ([, name]) => name!);
    const missing = modules.filter((name) => !imported.includes(name));
    const unused = imported.filter((name) => !modules.includes(name));
    if (missing.length + unused.length > 0) {
      this.error(`src/mantine.css: missing ${missing.join(', ') || 'none'}; not used ${unused.join(', ') || 'none'}`);
    }
  },
};

/** What is replaced in the router's code. */
const ROUTER_EDITS: [find: RegExp, by: string][] = [
  [/^\w+\.displayName = "\w+";$/gm, ''],
  [/React\d*\.createElement\(PrefetchPageLinks, .*?\)/g, 'null'],
  [/= (React\d*\.(?:forwardRef|createContext)\()/g, '= /* @__PURE__ */ $1'],
];
const routerEdited = new Set<RegExp>();

/**
 * Removes 3 kB from the router: names for developer tools, which keep unused code for forms and servers in the bundle,
 * and the prefetching of links, which needs the router's own server. Fails the build if there is nothing to replace.
 */
const leanRouter: Plugin = {
  name: 'lean-router',
  apply: 'build',
  transform: {
    filter: { id: /react-router\/dist\/production\// },
    handler(original) {
      let code = original;
      for (const [find, by] of ROUTER_EDITS) {
        const edited = code.replace(find, by);
        if (edited !== code) routerEdited.add(find);
        code = edited;
      }
      return { code, map: null };
    },
  },
  buildEnd(error) {
    const missing = ROUTER_EDITS.map(([find]) => find).filter((find) => !routerEdited.has(find));
    if (!error && missing.length > 0) this.error(`react-router has nothing to replace for ${missing.join(' and ')}`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  cacheDir: '../../.tmp/vite',
  plugins: [alwaysProduction, mantineStyles, leanRouter, react(), compressed],
  resolve: {
    conditions: ['agw-source', ...defaultClientConditions],
    // The package's exports name only its development build, which contains warnings.
    alias: [{ find: /^react-router$/, replacement: routerInProduction }],
  },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // The strict Content-Security-Policy allows neither data: scripts nor an inlined module preload shim.
    modulePreload: { polyfill: false },
    // For a phone, forty requests for small files cost more than their bytes. So the code that most pages share is in
    // two files, ours and the libraries'. With these counts the inbox is smallest.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // Most pages share these, but the inbox does without them.
            {
              name: 'records',
              test: /src\/(components\/(data-table|page-tabs|paged|terms|loaded|form-foot|submit-button)|lib\/(role-messages|return-focus))|core\/esm\/components\/(DataList|SimpleGrid|Table)\//,
              priority: 1,
            },
            // Positioning, 13 kB: the inbox loads it with its first menu. `to-int` is for SegmentedControl, too.
            {
              name: 'popovers',
              test: /@floating-ui|core\/esm\/components\/(Popover|ScrollArea(?!\/utils\/to-int))\//,
              priority: 1,
            },
            // Every dialog needs these, but the inbox opens without one.
            {
              name: 'dialogs',
              test: /core\/esm\/components\/(FocusTrap|Modal|ModalBase|Overlay|Portal|VisuallyHidden)\/|hooks\/esm\/use-(focus-(return|trap)|window-event)\//,
              priority: 1,
            },
            {
              name: 'shared',
              test: /dashboard\/src\/(?!features\/workspaces|components\/(push|danger-zone|confirm-by-name|confirm-dialog|one-time-secret|settings-))|libs\/contracts\/src\/(?!device-name)/,
              minShareCount: 4,
            },
            { name: 'vendor', test: /node_modules/, minShareCount: 20 },
          ],
        },
      },
    },
    assetsInlineLimit: 0,
  },
});

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

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  cacheDir: '../../.tmp/vite',
  plugins: [alwaysProduction, mantineStyles, react(), compressed],
  resolve: {
    conditions: ['agw-source', ...defaultClientConditions],
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
              test: /src\/(components\/(data-table|page-tabs|paged|terms|loaded)|lib\/(role-messages|return-focus|why-messages))|core\/esm\/components\/(DataList|SimpleGrid|Table)\//,
              priority: 1,
            },
            // Positioning, 13 kB: the inbox loads it with its first menu. `to-int` is for SegmentedControl, too.
            {
              name: 'popovers',
              test: /@floating-ui|core\/esm\/components\/(Popover|ScrollArea(?!\/utils\/to-int))\//,
              priority: 1,
            },
            // Small files that load together: the headers of each cost more than it contains. First what the login and most
            // pages share.
            {
              name: 'basics',
              test: /core\/esm\/components\/(ActionIcon|Anchor|Divider|PasswordInput)\/|hooks\/esm\/use-uncontrolled\/|contracts\/src\/device-name/,
              priority: 1,
            },
            {
              name: 'accounts',
              test: /components\/account-frame|features\/accounts\/(messages|single-sign-on)/,
              priority: 1,
            },
            // The inbox and the history share these.
            {
              name: 'lists',
              test: /core\/esm\/(components\/(FloatingIndicator|SegmentedControl)|core\/utils\/(get-env|primitive))\/|hooks\/esm\/(use-(mounted|mutation-observer|shallow-effect|timeout)|utils\/shallow-equal)\/|modern\/(useInfiniteQuery|infiniteQuery(Observer|Options))\.js|src\/(lib\/(body|curl|current-search|json-pointer|json-tree|request-target)|components\/(effects\/effect-reasons|request\/(decoded|long-value|pair-table|value-note|request(-view|-texts|\.module))|status-chip|thing-link)|features\/approvals\/(api|filters|ordinal))\.|contracts\/src\/searched-numbers/,
              priority: 1,
            },
            // The inbox loads these after its list.
            {
              name: 'offer',
              test: /components\/(pause\/(header-messages|pause-icon|pause-in-header)|push\/(offer|test-button|use-device)|welcome\/newcomer-key)\./,
              priority: 1,
            },
            // Loads with the first decision.
            {
              name: 'decided',
              test: /features\/approvals\/(action-link|counts-in|made-rule|outcome|outcome-messages|rule-made|take-back|take-back-(buttons|messages)|use-take-back)\.tsx?$|lib\/seen-report\./,
              priority: 1,
            },
            // Every dialog needs these, but the inbox opens without one.
            {
              name: 'dialogs',
              test: /core\/esm\/components\/(FocusTrap|Modal|ModalBase|Overlay|Portal|VisuallyHidden)\/|hooks\/esm\/use-(focus-(return|trap)|window-event)\/|node_modules\/(react-remove-scroll(-bar)?|react-style-singleton|use-sidecar|use-callback-ref|get-nonce|tslib)\//,
              priority: 1,
            },
            // Rules with conditions are on many pages. The inbox opens without them.
            {
              name: 'conditions',
              test: /src\/(lib\/(condition|condition-tokens|read-condition|value-limits)|components\/(limit-bar\/.*|rule-sentence\/.*))\.tsx?$/,
              priority: 1,
            },
            {
              name: 'shared',
              test: /dashboard\/src\/(?!features\/workspaces|lib\/(rejections|rotation-due)|components\/(effects\/ask-for-messages|pause|push|search-field|danger-zone|confirm-by-name|confirm-dialog|file-drop|one-time-secret|settings-|virtual-list))|libs\/contracts\/src\/(?!device-name)/,
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

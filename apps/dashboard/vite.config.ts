import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const api = 'http://127.0.0.1:3000';
const apiPaths = ['auth', 'approvals', 'services', 'agents', 'audit', 'risk', 'admin', 'events', 'health', 'ready'];

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  resolve: { conditions: ['agw-source', ...defaultClientConditions] },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // The strict Content-Security-Policy admits no data: scripts and no inlined module preload shim.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: Object.fromEntries(apiPaths.map((path) => [`^/${path}(/|$|\\?)`, { target: api }])) },
});

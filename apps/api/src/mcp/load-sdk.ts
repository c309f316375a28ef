/**
 * Loads the MCP SDK at its first use: with its schemas and validators it takes memory that a gateway without MCP never
 * needs.
 */
export const loadSdk = (): Promise<typeof import('./sdk.js')> => import('./sdk.js');

import { ConfigError, loadConfig, type Environment } from '../../src/platform/load-config.js';

/** The settings that the gateway needs, and no more. */
export const GOOD: Environment = {
  DATABASE_URL: 'postgres://agw:pw@db.example:5432/agw',
  JWT_SECRET: 'jwt-secret',
  ENCRYPTION_SECRET: 'e'.repeat(32),
  LLM_BASE_URL: 'https://llm.example/v1',
  LLM_API_KEY: 'llm-key',
};

/** What a program says about its settings at start. Empty: it starts. */
export function readFaults(env: Environment, load: (env: Environment) => unknown = loadConfig): readonly string[] {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

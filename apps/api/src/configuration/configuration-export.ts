import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Configuration } from '#contracts';
import { sortedByName } from './named.js';
import { BASE_URL_DEFAULTS, readStored, type Stored } from './stored-configuration.js';

/** Values that equal these defaults are left out, because an import assumes them. */
const DEFAULTS: Record<string, unknown> = {
  auth: null,
  oauth: null,
  rewriteLinks: 'headers',
  requestCodings: null,
  baseUrlDefaults: BASE_URL_DEFAULTS,
  rotateEveryDays: null,
  askFor: [],
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agents: [],
  approvals: 1,
  approvers: [],
  limit: null,
  isActive: true,
  mode: 'enforce',
  exceptions: 'none',
  callbackHosts: [],
  addresses: [],
  keyLifetimeDays: null,
};

const HEADER = ' Keys and credentials are not in this file. Check a change with: agent-gateway apply FILE --dry-run';

/**
 * Writes the configuration of a workspace as YAML. The same configuration always gives the same text
 * (docs/reference/configuration-file.md).
 */
@Injectable()
export class ConfigurationExport {
  constructor(private readonly source: DataSource) {}

  async yaml(workspaceId: number): Promise<string> {
    const stored = await this.source.transaction('REPEATABLE READ', (tx) => readStored(tx, workspaceId));
    // Loaded at its first use, because it takes memory that most processes never need.
    const { stringify } = await import('yaml');
    return `#${HEADER}\n${stringify(toConfiguration(stored), { aliasDuplicateObjects: false, lineWidth: 0 })}`;
  }
}

function toConfiguration({ settings, services, agents }: Stored): Configuration {
  return {
    version: 1,
    settings,
    services: sortedByName([...services.values()]).map(({ fields, documents, rules }) => ({
      ...withoutDefaults(fields),
      documentation: sortedByName([...documents.values()]).map(({ name: title, type, sha256 }) => ({
        title,
        type,
        sha256,
      })),
      rules: sortedByName([...rules.values()]).map((rule) => withoutDefaults(rule.fields)),
    })),
    agents: sortedByName([...agents.values()]).map((agent) => withoutDefaults(agent.fields)),
  };
}

function withoutDefaults<T extends object>(fields: T): T {
  const isDefault = ([name, value]: [string, unknown]): boolean =>
    name in DEFAULTS && JSON.stringify(DEFAULTS[name]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(fields).filter((entry) => !isDefault(entry))) as T;
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Configuration, type ConfiguredService, type ImportResult } from '#contracts';
import { inTransaction } from '#database';
import { errors } from '../platform/errors.js';
import { validate } from '../platform/http/validation.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { lockWorkspace } from '../membership/locked-workspace.js';
import { isRead } from '../documentation/openapi-reader.js';
import { asStored, WorkspaceRegistry } from '../workspaces/workspace-registry.js';
import { AgentImport } from './agent-import.js';
import { addLosses, readBelongings } from './configuration-losses.js';
import { DocumentImport, type ReadDocuments } from './document-import.js';
import { assertNamesOnce, changedFields, ImportRun, isSame, type ImportChanges } from './import-run.js';
import { readStored } from './stored-configuration.js';
import { ServiceImport } from './service-import.js';

/** Thrown to roll a dry run back. */
class DryRunEnd extends Error {
  constructor(readonly result: ImportResult) {
    super('end of a dry run');
  }
}

/**
 * Makes a workspace match a file, in one transaction (docs/reference/configuration-file.md). A dry run does the same
 * and rolls it back, so that it finds the same faults.
 */
@Injectable()
export class ConfigurationImport {
  constructor(
    private readonly source: DataSource,
    private readonly workspaces: WorkspaceRegistry,
    private readonly services: ServiceImport,
    private readonly documents: DocumentImport,
    private readonly agents: AgentImport,
  ) {}

  /**
   * @param digest of the only result that may be applied
   * @throws ApiError 400, 403, 404, 409
   */
  async apply(
    author: ChangeAuthor,
    body: object,
    { dryRun, digest }: { dryRun: boolean; digest?: string },
  ): Promise<ImportResult> {
    const configuration = validate(Configuration, body, true);
    assertNamesOnce(...toNameLists(configuration));
    const read = await this.readDocuments(author, configuration);
    try {
      return await inTransaction(this.source, async (tx) => {
        const changes = await this.run(tx, author, configuration, read);
        const result = { ...changes, digest: digestOf(changes) };
        if (digest !== undefined && digest !== result.digest) throw errors.importChanged();
        if (dryRun) throw new DryRunEnd(result);
        return result;
      });
    } catch (error) {
      if (error instanceof DryRunEnd) return error.result;
      throw error;
    }
  }

  private async readDocuments({ actor }: ChangeAuthor, { services = [] }: Configuration): Promise<ReadDocuments> {
    const types = services.flatMap(({ documentation = [] }) => documentation.map(({ type }) => type));
    if (!types.some(isRead)) return new Map();
    const { manager } = this.source;
    const { workspaceId } = actor;
    return this.documents.read(manager, workspaceId, await readStored(manager, workspaceId), services);
  }

  private async run(
    tx: EntityManager,
    author: ChangeAuthor,
    configuration: Configuration,
    read: ReadDocuments,
  ): Promise<ImportChanges> {
    const { workspaceId } = author.actor;
    // Until the transaction ends, nothing is added to the workspace, and nothing in it changes.
    await lockWorkspace(tx, author.actor, 'admin', 'pessimistic_write');
    await tx.query('SELECT FROM services WHERE workspace_id = $1 ORDER BY id FOR UPDATE', [workspaceId]);
    await tx.query('SELECT FROM agents WHERE workspace_id = $1 ORDER BY id FOR UPDATE', [workspaceId]);
    const run = new ImportRun(tx, author, await readStored(tx, workspaceId));
    const { stored, result } = run;
    const belongings = await readBelongings(tx, workspaceId);
    const { settings, services, agents } = configuration;
    if (settings && !isSame(stored.settings, { ...stored.settings, ...asStored(settings) })) {
      const fields = changedFields(stored.settings, { ...stored.settings, ...asStored(settings) });
      await run.note('changed', { kind: 'settings', name: 'settings', fields }, 'settings', () =>
        this.workspaces.updateIn(tx, author.actor, { settings }, author.requestId),
      );
    }
    let serviceIds = toIds(stored.services);
    if (services) await this.documents.keepTexts(run, services);
    if (services) serviceIds = await this.services.importServices(run, services);
    let agentIds = toIds(stored.agents);
    if (agents) agentIds = await this.agents.importAgents(run, agents, serviceIds);
    for (const [index, service] of (services ?? []).entries()) {
      const { name } = service;
      const about = { id: serviceIds.get(name)!, before: stored.services.get(name), place: `services.${index}` };
      await this.services.importRules(run, { ...about, agents: agentIds }, service);
      await this.documents.importDocuments(run, about, service, read);
    }
    addLosses(result, stored, configuration, belongings, await readBelongings(tx, workspaceId));
    return result;
  }
}

/** Agents go on working, so the number of waiting actions may differ. */
function digestOf({ created, changed, deleted }: ImportChanges): string {
  const counted = [created, changed, deleted].map((changes) =>
    changes.map((change) => ({ ...change, loses: { ...change.loses, waiting: undefined } })),
  );
  return createHash('sha256').update(JSON.stringify(counted)).digest('hex');
}

const toIds = (things: ReadonlyMap<string, { id: number }>): Map<string, number> =>
  new Map([...things].map(([name, { id }]) => [name, id]));

function toNameLists({ services = [], agents = [] }: Configuration): [{ name: string }[], string][] {
  const ofService = (service: ConfiguredService, index: number): [{ name: string }[], string][] => [
    [service.rules ?? [], `services.${index}.rules`],
    [(service.documentation ?? []).map(({ title }) => ({ name: title })), `services.${index}.documentation`],
  ];
  return [[services, 'services'], [agents, 'agents'], ...services.flatMap(ofService)];
}

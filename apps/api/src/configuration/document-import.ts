import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ConfiguredDocument, ConfiguredService, DocumentType } from '#contracts';
import { errors } from '../platform/errors.js';
import { DocumentationRegistry } from '../documentation/documentation-registry.js';
import { isRead } from '../documentation/openapi-reader.js';
import type { ReadDocument } from '../documentation/openapi-operations.mjs';
import { changedFields, placed, type ImportRun } from './import-run.js';
import type { Stored, StoredService } from './stored-configuration.js';

const TEXT = `
  SELECT d.content FROM service_documents d JOIN services s ON s.id = d.service_id
  WHERE s.workspace_id = $1 AND encode(sha256(convert_to(d.content, 'UTF8')), 'hex') = $2 LIMIT 1`;

/** What was found in documents that have operations, by `readKey`. */
export type ReadDocuments = ReadonlyMap<string, ReadDocument>;

/** Makes the documents of services match a file. */
@Injectable()
export class DocumentImport {
  constructor(private readonly documents: DocumentationRegistry) {}

  /**
   * Reads the OpenAPI documents and lists of tools that are new. Reading large ones takes seconds, so this runs before the transaction,
   * which makes others wait.
   * @throws ApiError 400
   */
  async read(
    tx: EntityManager,
    workspaceId: number,
    stored: Stored,
    services: readonly ConfiguredService[],
  ): Promise<ReadDocuments> {
    const found = new Map<string, ReadDocument>();
    for (const [index, { name, documentation = [] }] of services.entries()) {
      for (const [position, document] of documentation.entries()) {
        const digest = contentDigest(document);
        const old = stored.services.get(name)?.documents.get(document.title);
        if (!isRead(document.type) || digest === undefined) continue;
        const key = readKey(document.type, digest);
        if (found.has(key)) continue;
        if (old?.type === document.type && old.sha256 === digest) continue;
        const content = document.content ?? (await textWith(tx, workspaceId, digest));
        // The transaction reports what is missing.
        if (content === undefined) continue;
        const at = `services.${index}.documentation.${position}`;
        const { type } = document;
        found.set(key, await placed(at, () => this.documents.read(type, content)));
      }
    }
    return found;
  }

  /** A service with another name in the file is created after the old one, and its documents, are deleted. */
  async keepTexts({ tx, author, stored, texts }: ImportRun, services: readonly ConfiguredService[]): Promise<void> {
    const created = services.filter(({ name }) => !stored.services.has(name));
    for (const { sha256, content } of created.flatMap(({ documentation = [] }) => documentation)) {
      if (sha256 === undefined || content !== undefined || texts.has(sha256)) continue;
      const text = await textWith(tx, author.actor.workspaceId, sha256);
      if (text !== undefined) texts.set(sha256, text);
    }
  }

  async importDocuments(
    run: ImportRun,
    { id, before: service, place }: { id: number; before?: StoredService; place: string },
    { name, documentation: given }: ConfiguredService,
    read: ReadDocuments,
  ): Promise<void> {
    if (given === undefined) return;
    const { tx, author } = run;
    const label = (title: string): string => `${name} / ${title}`;
    const stored = service?.documents ?? new Map<string, never>();
    // Finds the texts before it deletes documents, because a deleted document may contain one of them.
    const planned: { how: 'created' | 'changed'; document: ConfiguredDocument; content: string; at: string }[] = [];
    for (const [index, document] of given.entries()) {
      const at = `${place}.documentation.${index}`;
      const old = stored.get(document.title);
      if (old?.type === document.type && old.sha256 === contentDigest(document)) continue;
      const content = document.content ?? (await this.readContent(run, document.sha256, at));
      planned.push({ how: old === undefined ? 'created' : 'changed', document, content, at });
    }
    const titles = new Set(given.map(({ title }) => title));
    for (const old of stored.values()) {
      if (titles.has(old.name)) continue;
      await run.note('deleted', { kind: 'document', name: label(old.name) }, null, () =>
        this.documents.deleteIn(tx, author, id, old.id),
      );
    }
    for (const { how, document, content, at } of planned) {
      const { title, type } = document;
      const before = stored.get(title);
      const digests = { type, sha256: contentDigest(document) };
      const change = {
        kind: 'document' as const,
        name: label(title),
        ...(before && { fields: changedFields({ type: before.type, sha256: before.sha256 }, digests) }),
      };
      await run.note(how, change, at, async () => {
        // Somebody may have changed the stored document since the others were read.
        const found = read.get(readKey(type, contentDigest(document)!)) ?? (await this.documents.read(type, content));
        if (before !== undefined) await this.documents.deleteIn(tx, author, id, before.id);
        await this.documents.createIn(tx, author, id, { type, title, content }, found);
      });
    }
  }

  /** @throws ApiError 400 */
  private async readContent({ tx, author, texts }: ImportRun, sha256: string | undefined, at: string): Promise<string> {
    if (sha256 === undefined) throw errors.invalid(`${at}: needs sha256 or content`);
    const found = texts.get(sha256) ?? (await textWith(tx, author.actor.workspaceId, sha256));
    if (found !== undefined) return found;
    throw errors.invalid(
      `${at}.sha256: no document of this workspace has this digest; upload it, or give its text as content`,
    );
  }
}

async function textWith(tx: EntityManager, workspaceId: number, sha256: string): Promise<string | undefined> {
  const [found]: { content: string }[] = await tx.query(TEXT, [workspaceId, sha256]);
  return found?.content;
}

const contentDigest = ({ content, sha256 }: ConfiguredDocument): string | undefined =>
  content === undefined ? sha256 : createHash('sha256').update(content).digest('hex');

/** The same text may be given as two types. */
const readKey = (type: DocumentType, digest: string): string => `${type} ${digest}`;

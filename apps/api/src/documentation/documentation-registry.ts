import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  DOCUMENTS_PER_SERVICE_MAX,
  type CreateDocumentRequest,
  type DocumentedOperation,
  type DocumentSummary,
  type DocumentType,
  type ServiceDocument,
  type UpdateDocumentRequest,
} from '#contracts';
import { DocumentedOperationEntity, inTransaction, ServiceDocumentEntity, type ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations } from '../auth/confirmations.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { findService, lockService } from '../service-view/stored-service.js';
import { toDocumentSummary, toOperation, toServiceDocument } from './document-mapper.js';
import type { Operation, ReadDocument } from './openapi-operations.mjs';
import { isRead, OpenApiReader } from './openapi-reader.js';

/** Rows per INSERT. */
const BATCH = 500;
/** All fields except the content, which may have 20 MB. */
const SUMMARY = {
  id: true,
  type: true,
  title: true,
  sizeBytes: true,
  operationCount: true,
  ignored: true,
  ignoredCount: true,
  createdAt: true,
  updatedAt: true,
} as const;

/**
 * The documents that stand in until there is a real one (docs/reference/dashboard-api.md#stand-ins). A large document is none, and
 * its content need not be read.
 */
const STAND_INS = `
  SELECT id FROM service_documents
  WHERE service_id = $1 AND id <> $2 AND size_bytes < 50000 AND content LIKE '{"x-agent-gateway-stand-in":true,%'`;

/** What is found in a document without operations. */
const PROSE: ReadDocument = { operations: [], ignored: [], ignoredCount: 0 };

/** Manages the documentation of services. OpenAPI documents are split into operations when they are stored. */
@Injectable()
export class DocumentationRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly reader: OpenApiReader,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
  ) {}

  async list(workspaceId: number, serviceId: number): Promise<DocumentSummary[]> {
    await findService(this.source.manager, workspaceId, serviceId);
    const documents = await this.source.manager.find(ServiceDocumentEntity, {
      select: SUMMARY,
      where: { serviceId },
      order: { id: 'ASC' },
    });
    return documents.map(toDocumentSummary);
  }

  async get(workspaceId: number, serviceId: number, id: number): Promise<ServiceDocument> {
    await findService(this.source.manager, workspaceId, serviceId);
    const document = await this.source.manager.findOneBy(ServiceDocumentEntity, { id, serviceId });
    if (!document) throw errors.documentNotFound();
    return toServiceDocument(document);
  }

  async operations(workspaceId: number, serviceId: number, withFields: boolean): Promise<DocumentedOperation[]> {
    const { baseUrl } = await findService(this.source.manager, workspaceId, serviceId);
    const operations = await this.source.manager.find(DocumentedOperationEntity, {
      select: {
        ...{ documentId: true, method: true, path: true, operationId: true, summary: true },
        ...(withFields && { comparedPath: true, serverPath: true, facts: true }),
      },
      where: { serviceId },
      order: { path: 'ASC', method: 'ASC', id: 'ASC' },
    });
    return operations.map((operation) => toOperation(operation, withFields ? baseUrl : null));
  }

  async create(author: ChangeAuthor, serviceId: number, request: CreateDocumentRequest): Promise<DocumentSummary> {
    await findService(this.source.manager, author.actor.workspaceId, serviceId);
    const found = await this.read(request.type, request.content);
    const id = await inTransaction(this.source, async (tx) => {
      const created = await this.createIn(tx, author, serviceId, request, found);
      if (request.type === 'openapi' && found.operations.length > 0) {
        const standIns: { id: number }[] = await tx.query(STAND_INS, [serviceId, created]);
        for (const standIn of standIns) await this.deleteIn(tx, author, serviceId, standIn.id);
      }
      return created;
    });
    return this.summary(serviceId, id);
  }

  /** Adds a document in the caller's transaction. @param found what `read` found in it */
  async createIn(
    tx: EntityManager,
    author: ChangeAuthor,
    serviceId: number,
    { type, title, content }: CreateDocumentRequest,
    found: ReadDocument,
  ): Promise<number> {
    const service = await lockService(tx, author.actor.workspaceId, serviceId);
    // The model reads it, so it can make requests look harmless.
    await this.confirmations.assertMayWeaken(tx, author.actor);
    const count = await tx.countBy(ServiceDocumentEntity, { serviceId });
    if (count >= DOCUMENTS_PER_SERVICE_MAX) {
      throw errors.invalid(`A service has at most ${DOCUMENTS_PER_SERVICE_MAX} documents`);
    }
    const now = this.clock.now();
    const { identifiers } = await tx.insert(ServiceDocumentEntity, {
      serviceId,
      type,
      title,
      ...contentFields(content, found),
      createdAt: now,
      updatedAt: now,
    });
    const created = (identifiers[0] as { id: number }).id;
    await insertOperations(tx, serviceId, created, found.operations);
    await this.record(tx, author, 'document.created', service, { id: created, type, title });
    return created;
  }

  async update(
    author: ChangeAuthor,
    serviceId: number,
    id: number,
    request: UpdateDocumentRequest,
  ): Promise<DocumentSummary> {
    const before = await this.get(author.actor.workspaceId, serviceId, id);
    const version = await readVersion(this.source.manager, serviceId, id);
    const { type = before.type, title = before.title, content = before.content } = request;
    const reread = type !== before.type || content !== before.content;
    const found = reread ? await this.read(type, content) : PROSE;
    const done = await inTransaction(this.source, async (tx) => {
      const service = await lockService(tx, author.actor.workspaceId, serviceId);
      // Someone else changed the document while it was parsed, so the parsed operations may be outdated.
      if ((await readVersion(tx, serviceId, id)) !== version) return false;
      // The model reads the title, too.
      if (reread || title !== before.title) await this.confirmations.assertMayWeaken(tx, author.actor);
      const fields = reread ? { type, ...contentFields(content, found) } : {};
      await tx.update(ServiceDocumentEntity, { id }, { title, ...fields, updatedAt: this.clock.now() });
      if (reread) {
        await tx.delete(DocumentedOperationEntity, { documentId: id });
        await insertOperations(tx, serviceId, id, found.operations);
      }
      await this.record(tx, author, 'document.updated', service, { id, type, title });
      return true;
    });
    return done ? this.summary(serviceId, id) : this.update(author, serviceId, id, request);
  }

  delete(author: ChangeAuthor, serviceId: number, id: number): Promise<void> {
    return inTransaction(this.source, (tx) => this.deleteIn(tx, author, serviceId, id));
  }

  /** Does the same in the caller's transaction. */
  async deleteIn(tx: EntityManager, author: ChangeAuthor, serviceId: number, id: number): Promise<void> {
    const service = await lockService(tx, author.actor.workspaceId, serviceId);
    const document = await tx.findOne(ServiceDocumentEntity, {
      select: { id: true, type: true, title: true },
      where: { id, serviceId },
    });
    if (!document) throw errors.documentNotFound();
    await this.confirmations.assertMayWeaken(tx, author.actor);
    await tx.delete(ServiceDocumentEntity, { id });
    await this.record(tx, author, 'document.deleted', service, document);
  }

  /**
   * The operations of an OpenAPI document, or the tools of an MCP server, and what is ignored. Parsing takes time, so do it before the transaction.
   * @throws ApiError 400
   */
  async read(type: DocumentType, content: string): Promise<ReadDocument> {
    return isRead(type) ? this.reader.read(content, type) : PROSE;
  }

  private async summary(serviceId: number, id: number): Promise<DocumentSummary> {
    const document = await this.source.manager.findOne(ServiceDocumentEntity, {
      select: SUMMARY,
      where: { id, serviceId },
    });
    if (!document) throw errors.documentNotFound();
    return toDocumentSummary(document);
  }

  private record(
    tx: EntityManager,
    author: ChangeAuthor,
    reason: string,
    service: ServiceEntity,
    { id, type, title }: Pick<ServiceDocumentEntity, 'id' | 'type' | 'title'>,
  ) {
    return this.audit.recordChange(tx, {
      ...author,
      reason,
      service: { id: service.id, name: service.name },
      details: { document: { id, type, title } },
    });
  }
}

function contentFields(content: string, { operations, ignored, ignoredCount }: ReadDocument) {
  const sizeBytes = Buffer.byteLength(content);
  return { content, sizeBytes, operationCount: operations.length, ignored, ignoredCount };
}

/** The id of the transaction that last wrote the row. It is exact, unlike a timestamp. @throws ApiError 404 */
async function readVersion(tx: EntityManager, serviceId: number, id: number): Promise<string> {
  const rows: { version: string }[] = await tx.query(
    'SELECT xmin::text AS version FROM service_documents WHERE id = $1 AND service_id = $2',
    [id, serviceId],
  );
  if (rows.length === 0) throw errors.documentNotFound();
  return rows[0].version;
}

async function insertOperations(
  tx: EntityManager,
  serviceId: number,
  documentId: number,
  operations: Operation[],
): Promise<void> {
  for (let from = 0; from < operations.length; from += BATCH) {
    await tx.query(
      `INSERT INTO documented_operations
         (document_id, service_id, method, path, compared_path, server_path, operation_id, summary, description, excerpt, facts)
       SELECT $1, $2, method, path, "comparedPath", "serverPath", "operationId", summary, description, excerpt, facts
       FROM json_to_recordset($3::json) AS o(method text, path text, "comparedPath" text, "serverPath" text, "operationId" text,
         summary text, description text, excerpt text, facts jsonb)`,
      [documentId, serviceId, JSON.stringify(operations.slice(from, from + BATCH))],
    );
  }
}

import type { DocumentedOperation, DocumentSummary, ServiceDocument } from '#contracts';
import type { DocumentedOperationEntity, ServiceDocumentEntity } from '#database';
import { plainText } from '../request-reading/plain-text.js';
import { isRead } from './openapi-reader.js';
import { operationPattern } from './operation-url.js';

export function toDocumentSummary(document: Omit<ServiceDocumentEntity, 'content'>): DocumentSummary {
  return {
    id: document.id,
    type: document.type,
    title: document.title,
    sizeBytes: document.sizeBytes,
    operationCount: document.operationCount,
    ignored: document.ignored,
    ignoredCount: isRead(document.type) ? document.ignoredCount : 0,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}

export function toServiceDocument(document: ServiceDocumentEntity): ServiceDocument {
  return { ...toDocumentSummary(document), content: document.content };
}

/** @param baseUrl of the service. Null: without fields */
export function toOperation(operation: DocumentedOperationEntity, baseUrl: string | null): DocumentedOperation {
  const { documentId, method, path, operationId, summary } = operation;
  const listed = { documentId, method, path, operationId, summary: summary && plainText(summary) };
  if (baseUrl === null) return listed;
  const { queryParameters = [], fields = [], tags = [] } = operation.facts ?? {};
  return { ...listed, queryParameters, fields, tags, pathPattern: operationPattern(baseUrl, operation) };
}

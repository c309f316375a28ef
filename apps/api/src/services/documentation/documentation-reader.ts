import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ServiceView } from '../service-view.js';
import { relevantSections, sectionsAbout, type ProseDocument } from './document-sections.js';
import { OperationIndex } from './operation-index.js';
import { isParameter, pathSegments } from './path-template.js';

/** Of each markdown or text document, as much is looked through for one request. */
const LOOKED_THROUGH_CHARS = 200_000;
const LOOKED_THROUGH_DOCUMENTS = 20;

/** Reads a service's documentation for what it says of one request. */
@Injectable()
export class DocumentationReader {
  constructor(
    private readonly source: DataSource,
    private readonly operations: OperationIndex,
  ) {}

  /** The matched operation, then the sections of prose that mention the path; empty when nothing is documented. */
  async documentationFor(
    service: ServiceView,
    method: string,
    targetUrl: string,
    budgetChars: number,
  ): Promise<string> {
    if (service.documentIds.length === 0) return '';
    const operation = await this.operations.match(service, method, targetUrl);
    const excerpt = operation ? operation.excerpt.slice(0, budgetChars) : '';
    const left = budgetChars - excerpt.length - 2;
    if (left <= 0) return excerpt;
    const prose = relevantSections(await this.prose(service.id), terms(targetUrl, operation?.path), left);
    return [excerpt, prose].filter((part) => part !== '').join('\n\n');
  }

  /** The sections of prose that mention any of the terms; empty when none does. @param terms the most telling one first */
  async sectionsAbout(service: ServiceView, terms: string[], budgetChars: number): Promise<string> {
    if (service.documentIds.length === 0) return '';
    return sectionsAbout(await this.prose(service.id), terms, budgetChars);
  }

  private prose(serviceId: number): Promise<ProseDocument[]> {
    return this.source.query(
      `SELECT title, left(content, ${LOOKED_THROUGH_CHARS}) AS content FROM service_documents
       WHERE service_id = $1 AND type IN ('markdown', 'text') ORDER BY id LIMIT ${LOOKED_THROUGH_DOCUMENTS}`,
      [serviceId],
    );
  }
}

/** What a section may call the request by: the whole path, its template, each beginning of it, its last name. */
function terms(targetUrl: string, template: string | undefined): string[] {
  const segments = URL.canParse(targetUrl) ? pathSegments(new URL(targetUrl).pathname) : [];
  const beginnings = segments.map((_, index) => `/${segments.slice(0, segments.length - index).join('/')}`);
  const names = (template ? template.split('/').filter((segment) => !isParameter(segment)) : segments).filter(
    (segment) => /^\p{L}[\p{L}_-]{2,}$/u.test(segment),
  );
  return [beginnings[0] ?? '', template ?? '', ...beginnings.slice(1), names.at(-1) ?? ''];
}

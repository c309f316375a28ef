import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Turns } from '../platform/turns.js';
import type { ServiceView } from '../service-view/service-view.js';
import { relevantSections, sectionsAbout, type ProseDocument } from './document-sections.js';
import { OperationIndex } from './operation-index.js';
import { parseTemplate } from '../request-reading/path-template.js';
import { pathTerms } from './path-terms.js';

/** How much of each markdown or text document is searched for one request. */
const LOOKED_THROUGH_CHARS = 200_000;
const LOOKED_THROUGH_DOCUMENTS = 20;

/** Finds what a service's documentation says about one request. */
@Injectable()
export class DocumentationReader {
  constructor(
    private readonly source: DataSource,
    private readonly operations: OperationIndex,
    private readonly turns: Turns,
  ) {}

  /** Returns the matching operation, then the prose sections that mention the path. Empty if nothing is documented. */
  async documentationFor(
    agentId: number,
    service: ServiceView,
    method: string,
    targetUrl: string,
    budgetChars: number,
    tools: readonly string[] = [],
  ): Promise<string> {
    if (service.documentIds.length === 0) return '';
    const operation = await this.operations.match(service, method, targetUrl, tools);
    const excerpt = operation ? operation.excerpt.slice(0, budgetChars) : '';
    const left = budgetChars - excerpt.length - 2;
    if (left <= 0) return excerpt;
    const template = operation && `/${parseTemplate(operation).segments.join('/')}`;
    const search = relevantSections(await this.prose(service.id), pathTerms(targetUrl, template), left);
    const prose = await this.turns.begin(agentId, search);
    return [excerpt, prose].filter((part) => part !== '').join('\n\n');
  }

  /**
   * Returns the prose sections that mention any of the terms, or an empty text.
   * @param terms the most specific one first
   */
  async sectionsAbout(agentId: number, service: ServiceView, terms: string[], budgetChars: number): Promise<string> {
    if (service.documentIds.length === 0) return '';
    return this.turns.begin(agentId, sectionsAbout(await this.prose(service.id), terms, budgetChars));
  }

  private prose(serviceId: number): Promise<ProseDocument[]> {
    return this.source.query(
      `SELECT title, left(content, ${LOOKED_THROUGH_CHARS}) AS content FROM service_documents
       WHERE service_id = $1 AND type IN ('markdown', 'text') ORDER BY id LIMIT ${LOOKED_THROUGH_DOCUMENTS}`,
      [serviceId],
    );
  }
}

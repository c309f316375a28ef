import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentedOperationEntity } from '#database';
import { parseUrl, pathReadings } from '#egress';
import type { DescribedOperation } from '../effects/described-operation.js';
import type { ServiceView } from '../service-view/service-view.js';
import { DocumentsCache } from './documents-cache.js';
import { inPortions } from './operation-rows.js';
import { fit, isBetter, LITERAL, parseTemplate, pathSegments } from '../request-reading/path-template.js';
import { TemplateIndex } from './template-index.js';

interface Row {
  id: number;
  method: string;
  path: string;
  comparedPath: string | null;
  serverPath: string;
}

/** The templates of one service. */
interface Index {
  size: number;
  /** The templates as the document states them. */
  own: TemplateIndex;
  /** The templates with the path of the document's server in front. */
  prefixed: TemplateIndex;
}

/** Most operations of all services together in memory: about 30 MB. */
const CACHED_OPERATIONS_MAX = 100_000;

/** Finds the documented operation that a request would call. */
@Injectable()
export class OperationIndex {
  private readonly cache = new DocumentsCache((serviceId) => this.load(serviceId), CACHED_OPERATIONS_MAX);

  constructor(private readonly source: DataSource) {}

  /**
   * Returns the operation whose path template matches the target with the most literal segments. The paths of a
   * document can be relative to the base URL, to the document's own server, or to the host.
   */
  async match(service: ServiceView, method: string, targetUrl: string): Promise<DocumentedOperationEntity | null> {
    const url = parseUrl(targetUrl);
    if (service.documentIds.length === 0 || url === null) return null;
    const index = await this.cache.get(service);
    const below = pathSegments(pathReadings(url, service.baseUrl)[0]);
    const whole = pathSegments(url.pathname);
    // The paths of some documents differ only behind `#`. Agents get such URLs from search_docs.
    const query = new URLSearchParams(`${url.search.slice(1)}&${url.hash.slice(1)}`);
    let best: { id: number; score: number[] } | null = null;
    for (const [path, templates] of [
      [below, index.own],
      [whole, index.prefixed],
      [below, index.prefixed],
      [whole, index.own],
    ] as const) {
      for (const template of templates.candidates(method, path)) {
        const found = fit(template, path, query);
        // A parameter must not match a part of the base path.
        if (found?.segments.slice(0, path.length - below.length).some((score) => score !== LITERAL)) continue;
        if (found && (!best || isBetter(found.score, best.score)))
          best = { id: template.operationId, score: found.score };
      }
    }
    // Returns null if the documents were replaced since they were indexed.
    return best && this.source.manager.findOneBy(DocumentedOperationEntity, { id: best.id, serviceId: service.id });
  }

  /** What the documents say about the operation that a request calls. Null: nothing. */
  async describe(
    service: ServiceView,
    { method, targetUrl }: { method: string; targetUrl: string },
  ): Promise<DescribedOperation | null> {
    const operation = await this.match(service, method, targetUrl);
    if (operation === null) return null;
    const { operationId: id, path, summary } = operation;
    const unknown = { tags: [], deprecated: false, queryParameters: [], fields: [], annotations: null };
    return { id, method, path, summary: summary ?? '', ...unknown };
  }

  /** The same, if it is in memory. Otherwise undefined. */
  described({ documentIds }: ServiceView): null | undefined {
    return documentIds.length === 0 ? null : undefined;
  }

  private async load(serviceId: number): Promise<Index> {
    const index: Index = { size: 0, own: new TemplateIndex(), prefixed: new TemplateIndex() };
    const columns = 'id, method, path, compared_path AS "comparedPath", server_path AS "serverPath"';
    for await (const rows of inPortions<Row>(this.source, columns, serviceId)) {
      index.size += rows.length;
      for (const { id: operationId, method, serverPath, ...row } of rows) {
        const template = { ...parseTemplate(row), operationId };
        index.own.add(method, template);
        if (serverPath === '') continue;
        const before = pathSegments(serverPath);
        const spanAt = template.spanAt === -1 ? -1 : template.spanAt + before.length;
        index.prefixed.add(method, { ...template, segments: [...before, ...template.segments], spanAt });
      }
    }
    return index;
  }
}

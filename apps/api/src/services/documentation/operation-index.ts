import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentedOperationEntity } from '#database';
import { pathReadings } from '#egress';
import type { ServiceView } from '../service-view.js';
import { DocumentsCache } from './documents-cache.js';
import { fit, isBetter, LITERAL, pathSegments } from './path-template.js';

interface Template {
  operationId: number;
  segments: string[];
}

/** The templates of one service, by method and number of segments. */
interface Index {
  size: number;
  /** The templates as the document states them. */
  own: Map<string, Template[]>;
  /** The templates with the path of the document's server in front. */
  prefixed: Map<string, Template[]>;
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
    if (service.documentIds.length === 0 || !URL.canParse(targetUrl)) return null;
    const url = new URL(targetUrl);
    const index = await this.cache.get(service);
    const below = pathSegments(pathReadings(url, service.baseUrl)[0]);
    const whole = pathSegments(url.pathname);
    let best: { id: number; score: number[] } | null = null;
    for (const [path, templates] of [
      [below, index.own],
      [whole, index.prefixed],
      [below, index.prefixed],
      [whole, index.own],
    ] as const) {
      for (const { operationId, segments } of templates.get(groupOf(method, path)) ?? []) {
        const score = fit(segments, path);
        // A parameter must not match a part of the base path.
        if (score?.slice(1, 1 + path.length - below.length).some((literal) => literal !== LITERAL)) continue;
        if (score && (!best || isBetter(score, best.score))) best = { id: operationId, score };
      }
    }
    // Returns null if the documents were replaced since they were indexed.
    return best && this.source.manager.findOneBy(DocumentedOperationEntity, { id: best.id, serviceId: service.id });
  }

  private async load(serviceId: number): Promise<Index> {
    const rows = await this.source.manager.find(DocumentedOperationEntity, {
      select: { id: true, method: true, path: true, serverPath: true },
      where: { serviceId },
      order: { id: 'ASC' },
    });
    const index: Index = { size: rows.length, own: new Map(), prefixed: new Map() };
    for (const { id, method, path, serverPath } of rows) {
      add(index.own, method, id, path);
      if (serverPath !== '') add(index.prefixed, method, id, serverPath + path);
    }
    return index;
  }
}

function add(templates: Map<string, Template[]>, method: string, operationId: number, path: string): void {
  const segments = path.split('/').filter((segment) => segment !== '');
  const group = groupOf(method, segments);
  const known = templates.get(group);
  if (known) known.push({ operationId, segments });
  else templates.set(group, [{ operationId, segments }]);
}

const groupOf = (method: string, segments: readonly string[]): string => `${method} ${segments.length}`;

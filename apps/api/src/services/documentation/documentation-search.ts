import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ServiceView } from '../service-view.js';

export interface FoundOperation {
  serviceId: number;
  method: string;
  path: string;
  serverPath: string;
  operationId: string | null;
  summary: string | null;
}

const TERMS_MAX = 8;
/** What comes later in a description is seldom what an operation is called by, and ten thousand of them are read at once. */
const DESCRIPTION_CHARS = 200;

/** Each term counts once, where it tells most. The order is the same for the same documents. */
const SEARCH = `
  SELECT service_id AS "serviceId", method, path, server_path AS "serverPath", operation_id AS "operationId", summary
  FROM (
    SELECT o.*, (
      SELECT sum(CASE
        WHEN strpos(name, term) > 0 THEN 8
        WHEN strpos(lower(coalesce(o.summary, '')), term) > 0 THEN 6
        WHEN lower(o.method) = term THEN 3
        WHEN strpos(described, term) > 0 THEN 2 ELSE 0 END)
      FROM unnest($2::text[]) AS term) AS score
    FROM documented_operations o,
      LATERAL (SELECT lower(concat_ws(' ', o.operation_id, o.path)) AS name,
        lower(left(coalesce(o.description, ''), ${DESCRIPTION_CHARS})) AS described OFFSET 0) texts
    WHERE o.service_id = ANY($1)) scored
  WHERE score > 0
  ORDER BY score DESC, length(path), service_id, path, method, id LIMIT $3`;

/** Finds documented operations by words. */
@Injectable()
export class DocumentationSearch {
  constructor(private readonly source: DataSource) {}

  /** The best first. */
  operations(services: readonly ServiceView[], query: string, limit: number): Promise<FoundOperation[]> {
    const ids = services.filter(({ documentIds }) => documentIds.length > 0).map(({ id }) => id);
    const terms = searchTerms(query);
    return ids.length === 0 || terms.length === 0
      ? Promise.resolve([])
      : this.source.query(SEARCH, [ids, terms, limit]);
  }
}

/** The words of a query, without the ending of a plural. */
export function searchTerms(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)))].slice(0, TERMS_MAX);
}

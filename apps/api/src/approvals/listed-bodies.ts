import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { LISTED_BODY_MAX_BYTES } from '#contracts';
import { ActionEntity } from '#database';
import { digestHead, effectiveDigest } from './action-digest.js';

/** A character has at most four bytes. */
const SHOWN_CHARS = LISTED_BODY_MAX_BYTES / 4;
/** As many digests as fit in about a megabyte. */
const DIGESTS_KEPT_MAX = 5_000;

/** What is read with the row of an action in place of its bodies. */
export interface SizedRow {
  /** The size of the body as it is sent. null: no body. */
  body_size: number | null;
}

/** The same, with the parts of the bodies that a list shows. */
export interface ListedRow extends SizedRow {
  body_shown: string | null;
  body_cut: boolean;
  result_shown: Buffer | null;
  result_cut: boolean;
}

/** What a list shows of an action. */
export interface Listed {
  /** With the beginnings of long bodies. */
  action: ActionEntity;
  isBodyCut: boolean;
  isResultCut: boolean;
  /** That of the whole request. */
  digest: string | null;
  bodyBytes: number | null;
}

/** An action that was read without its body. */
export interface Unread {
  action: ActionEntity;
  bodyBytes: number | null;
}

const isCut = (column: string): string => `coalesce(octet_length(${column}) > ${LISTED_BODY_MAX_BYTES}, false)`;

const shown = (column: string, beginning: string): string =>
  `CASE WHEN ${isCut(column)} THEN ${beginning} ELSE ${column} END`;

/** Selects, for actions `a`, the size of the body. PostgreSQL stores it beside a long body, and so does not read the body. */
export const withBodySizes = (rows: SelectQueryBuilder<ActionEntity>): SelectQueryBuilder<ActionEntity> =>
  rows.addSelect('coalesce(octet_length(a.body_bytes), octet_length(a.body))', 'body_size');

/**
 * Selects, for actions `a`, only the parts of the bodies that a list shows. A held request of an agent can have many
 * megabytes, and a list has up to 200 of them.
 */
export const withListedBodies = (
  rows: SelectQueryBuilder<ActionEntity>,
  chars = SHOWN_CHARS,
): SelectQueryBuilder<ActionEntity> =>
  withBodySizes(rows)
    .addSelect(shown('a.body', `left(a.body, ${chars})`), 'body_shown')
    .addSelect(isCut('a.body'), 'body_cut')
    .addSelect(shown('a.result_body', `substr(a.result_body, 1, ${LISTED_BODY_MAX_BYTES})`), 'result_shown')
    .addSelect(isCut('a.result_body'), 'result_cut');

/** The same for one action. The text can be longer than the limit until `beginningOf` cuts it. */
export const withExcerpts = (rows: SelectQueryBuilder<ActionEntity>): SelectQueryBuilder<ActionEntity> =>
  withListedBodies(rows, LISTED_BODY_MAX_BYTES);

/** What lists show of actions, and the digests of what they do not show. */
@Injectable()
export class ListedBodies {
  /** Digests of pending requests by id and base URL. Neither the request nor its digest for a base URL changes. */
  private readonly kept = new Map<string, string>();

  constructor(private readonly source: DataSource) {}

  /** @param row what `withListedBodies` has read with the action */
  async of(action: ActionEntity, row: ListedRow): Promise<Listed> {
    const { body_cut: isBodyCut, result_cut: isResultCut, result_shown: result, body_size: bodyBytes } = row;
    const digest = isBodyCut ? (await this.digests([{ action, bodyBytes }]))[0] : null;
    Object.assign(action, {
      body: row.body_shown,
      resultBody: isResultCut && result !== null ? withoutHalfCharacter(result) : result,
    });
    return { action, isBodyCut, isResultCut, digest: isBodyCut ? digest : effectiveDigest(action), bodyBytes };
  }

  /** The digests of actions whose bodies were not read, in the same order. */
  async digests(unread: readonly Unread[]): Promise<(string | null)[]> {
    const found = new Map<string, string>();
    const missing: Unread[] = [];
    for (const each of unread.filter(needsBody)) {
      const known = this.kept.get(keyOf(each));
      if (known === undefined) missing.push(each);
      else found.set(each.action.id, known);
    }
    const isLong = ({ bodyBytes }: Unread): boolean => (bodyBytes ?? 0) > LISTED_BODY_MAX_BYTES;
    // One long body at a time: it has many megabytes.
    const turns = [missing.filter((each) => !isLong(each)), ...missing.filter(isLong).map((each) => [each])];
    for (const turn of turns) {
      for (const { id, digest } of await this.hashed(turn)) found.set(id, digest);
    }
    if (this.kept.size + missing.length > DIGESTS_KEPT_MAX) this.kept.clear();
    for (const each of missing) this.keep(each, found.get(each.action.id));
    return unread.map((each) => (needsBody(each) ? (found.get(each.action.id) ?? null) : effectiveDigest(each.action)));
  }

  private keep(each: Unread, digest: string | undefined): void {
    if (digest !== undefined) this.kept.set(keyOf(each), digest);
  }

  /** The database reads the bodies, and sends only their digests. */
  private async hashed(unread: readonly Unread[]): Promise<{ id: string; digest: string }[]> {
    if (unread.length === 0) return [];
    return this.source.query(
      `SELECT a.id, encode(sha256(convert_to(asked.head || coalesce(a.body, ''), 'UTF8')), 'hex') AS digest
       FROM unnest($1::uuid[], $2::text[]) AS asked (id, head) JOIN actions a ON a.id = asked.id`,
      [unread.map(({ action }) => action.id), unread.map(({ action }) => digestHead(action, action.serviceBaseUrl!))],
    );
  }
}

const keyOf = ({ action }: Unread): string => `${action.id} ${action.serviceBaseUrl}`;

/** Whether the digest covers a text that was not read. */
const needsBody = ({ action, bodyBytes }: Unread): boolean =>
  bodyBytes !== null &&
  action.approvedDigest === null &&
  action.bodyHash === null &&
  action.agentId !== null &&
  action.serviceBaseUrl !== null;

/** The beginning of bytes that are a text. */
export function beginningOf(bytes: Buffer): Buffer {
  return bytes.length > LISTED_BODY_MAX_BYTES ? withoutHalfCharacter(bytes.subarray(0, LISTED_BODY_MAX_BYTES)) : bytes;
}

/** Removes the last character, because it may be cut in half. The bytes would then count as binary. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  let end = bytes.length - 1;
  while (end > bytes.length - 4 && (bytes[end] & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

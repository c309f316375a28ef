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
export interface ListedRow {
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
}

const isCut = (column: string): string => `coalesce(octet_length(${column}) > ${LISTED_BODY_MAX_BYTES}, false)`;

const shown = (column: string, beginning: string): string =>
  `CASE WHEN ${isCut(column)} THEN ${beginning} ELSE ${column} END`;

/**
 * Selects, for actions `a`, only the parts of the bodies that a list shows. A held request of an agent can have many
 * megabytes, and a list has up to 200 of them.
 */
export const withListedBodies = (rows: SelectQueryBuilder<ActionEntity>): SelectQueryBuilder<ActionEntity> =>
  rows
    .addSelect(shown('a.body', `left(a.body, ${SHOWN_CHARS})`), 'body_shown')
    .addSelect(isCut('a.body'), 'body_cut')
    .addSelect(shown('a.result_body', `substr(a.result_body, 1, ${LISTED_BODY_MAX_BYTES})`), 'result_shown')
    .addSelect(isCut('a.result_body'), 'result_cut');

/** What lists show of actions, and the digests of what they do not show. */
@Injectable()
export class ListedBodies {
  /** Digests of pending requests whose bodies are cut. Neither the request nor its digest for a base URL changes. */
  private readonly digests = new Map<string, string>();

  constructor(private readonly source: DataSource) {}

  /** @param row what `withListedBodies` has read with the action */
  async of(action: ActionEntity, row: ListedRow): Promise<Listed> {
    const { body_cut: isBodyCut, result_cut: isResultCut, result_shown: result } = row;
    Object.assign(action, {
      body: row.body_shown,
      resultBody: isResultCut && result !== null ? withoutHalfCharacter(result) : result,
    });
    return { action, isBodyCut, isResultCut, digest: isBodyCut ? await this.digest(action) : effectiveDigest(action) };
  }

  private digest(action: ActionEntity): string | null | Promise<string> {
    const { agentId, approvedDigest, bodyHash, serviceBaseUrl } = action;
    const needsBody = approvedDigest === null && bodyHash === null && agentId !== null;
    return needsBody && serviceBaseUrl !== null ? this.wholeDigest(action, serviceBaseUrl) : effectiveDigest(action);
  }

  /** The database reads the body, one at a time: it has many megabytes. */
  private async wholeDigest(action: ActionEntity, baseUrl: string): Promise<string> {
    const key = `${action.id} ${baseUrl}`;
    const known = this.digests.get(key);
    if (known !== undefined) return known;
    const [{ digest }]: [{ digest: string }] = await this.source.query(
      `SELECT encode(sha256(convert_to($2 || coalesce((SELECT body FROM actions WHERE id = $1), ''), 'UTF8')), 'hex') AS digest`,
      [action.id, digestHead(action, baseUrl)],
    );
    if (this.digests.size >= DIGESTS_KEPT_MAX) this.digests.clear();
    this.digests.set(key, digest);
    return digest;
  }
}

/** Removes the last character, because it may be cut in half. The bytes would then count as binary. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  let end = bytes.length - 1;
  while (end > bytes.length - 4 && (bytes[end] & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ActionEntity, type AuditRecordEntity } from '#database';
import { errors } from '../platform/errors.js';
import type { RecordedCase } from '../policy-tests/recorded-case.js';
import { AuditReader } from './audit-reader.js';

/** Records of requests as cases for `agent-gateway test`. */
@Injectable()
export class AuditCases {
  constructor(
    private readonly source: DataSource,
    private readonly reader: AuditReader,
  ) {}

  /** @throws ApiError 404; 400 if the record is not about a request to a service */
  async text(workspaceId: number, id: string): Promise<string> {
    const record = await this.reader.stored(workspaceId, id);
    const { kind, agentName: agent, serviceName: service, method, url } = record;
    const isRequest = kind === 'request' || kind === 'execution';
    if (!isRequest || agent === null || service === null || method === null || url === null) {
      throw errors.invalid('Only the request of an agent to a service can be a case');
    }
    const held = await this.held(record);
    // Loaded at its first use, because it takes memory that most processes never need.
    const { toCaseText } = await import('../policy-tests/recorded-case.js');
    return toCaseText({ ...record, agent, service, method, url, held });
  }

  /** The bodies of other requests are not kept. */
  private async held({ actionId: id, workspaceId }: AuditRecordEntity): Promise<RecordedCase['held']> {
    if (id === null || workspaceId === null) return null;
    const select = { id: true, headers: true, body: true, bodyHash: true } as const;
    const action = await this.source.manager.findOne(ActionEntity, { select, where: { id, workspaceId } });
    if (action === null) return null;
    const { headers, body, bodyHash } = action;
    return { headers, body, isBinary: body === null && bodyHash !== null };
  }
}

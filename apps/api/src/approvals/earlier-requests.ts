import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RequestDifferences } from '#contracts';
import { ActionEntity } from '#database';
import type { ShortSteps } from '../platform/short-steps.js';
import { Turns } from '../platform/turns.js';
import { RequestPath } from '../request-reading/request-path.js';
import { statedOperation } from '../request-reading/stated-operation.js';
import { covers, type RuleScope } from '../rules/rule-matching.js';
import type { ServiceView } from '../service-view/service-view.js';
import { EARLIER_MIN, fieldDifferences } from './field-differences.js';
import type { RequestFields } from './request-fields.js';
import { actionsWithoutBodies } from './stored-actions.js';
import { BODY_MAX_BYTES, fieldsSteps, isReadable, type StoredRequest } from './stored-fields.js';

const COMPARED_MAX = 10;
/** The latest approved requests of the agent in which those of the operation are searched. */
const SEARCHED_MAX = 100;
/** Only their bodies say which operation some of them ask for. */
const READ_MAX = 30;

type Compared = StoredRequest & Pick<ActionEntity, 'id'>;

/** The earlier requests of the same operation by the same agent, and what is different this time. */
@Injectable()
export class EarlierRequests {
  constructor(
    private readonly source: DataSource,
    private readonly turns: Turns,
  ) {}

  /**
   * Only what people approved is compared: an agent could ask three times for the unusual, to make it usual.
   * @param pathPattern of the operation. Null: nobody can say which operation it is
   */
  async differences(
    action: ActionEntity,
    service: ServiceView | null,
    pathPattern: string | null,
  ): Promise<RequestDifferences | null> {
    const { agentId } = action;
    if (service === null || agentId === null || pathPattern === null || !isReadable(action)) return null;
    const earlier = await this.ofOperation(action, service, pathPattern);
    if (earlier.length < EARLIER_MIN) return null;
    return this.turns.finishInOrder(agentId, compareSteps(action, earlier));
  }

  /** Those whose path is of the same form, newest first. */
  private async ofOperation(action: ActionEntity, service: ServiceView, pathPattern: string): Promise<Compared[]> {
    const { id, agentId, method, createdAt } = action;
    const approved = await actionsWithoutBodies(this.source)
      .where('a.agent_id = :agentId AND a.service_id = :serviceId AND a.method = :method AND a.id <> :id', {
        agentId,
        serviceId: service.id,
        method,
        id,
      })
      .andWhere(`a.status IN ('APPROVED', 'EXECUTED') AND a.created_at <= :createdAt`, { createdAt })
      .orderBy('a.created_at', 'DESC')
      .limit(SEARCHED_MAX)
      .getMany();
    const scope: RuleScope = { effect: 'guidance', methods: [], agentIds: [], pathPattern };
    const ids = approved
      .filter(({ targetUrl }) => {
        const path = new RequestPath(new URL(targetUrl), service.baseUrl);
        return covers(scope, { agentId: 0, methods: [], path });
      })
      .slice(0, READ_MAX)
      .map((other) => other.id);
    return ids.length < EARLIER_MIN ? [] : this.withBodies(ids);
  }

  /** Without those whose bodies are too long to compare. */
  private withBodies(ids: string[]): Promise<Compared[]> {
    return this.source
      .createQueryBuilder(ActionEntity, 'a')
      .select(['a.id', 'a.method', 'a.targetUrl', 'a.headers', 'a.body', 'a.bodyHash'])
      .where('a.id IN (:...ids)', { ids })
      .andWhere('(a.body IS NULL OR octet_length(a.body) <= :max)', { max: BODY_MAX_BYTES })
      .orderBy('a.created_at', 'DESC')
      .getMany();
  }
}

function* compareSteps(action: Compared, earlier: readonly Compared[]): ShortSteps<RequestDifferences | null> {
  const current = yield* fieldsSteps(action);
  if (current === null) return null;
  const operation = operationIn(action);
  const compared: RequestFields[] = [];
  for (const other of earlier) {
    if (compared.length === COMPARED_MAX) break;
    if (!isReadable(other)) continue;
    const fields = yield* fieldsSteps(other);
    yield;
    if (fields !== null && operationIn(other) === operation) compared.push(fields);
    yield;
  }
  const differences = fieldDifferences(current, compared);
  return differences && { of: compared.length, ...differences };
}

/** What a body says that the operation is, such as the name of a procedure. */
function operationIn({ method, targetUrl, headers, body }: Compared): string {
  const stated = statedOperation({ method, targetUrl, headers, body });
  return stated === null ? '' : `${stated.by} ${stated.words}`;
}

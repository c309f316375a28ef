import { Injectable } from '@nestjs/common';
import type { RequestEffect } from '#contracts/risk';
import type { MethodsCall } from '../documentation/described-operations.js';
import { OperationIndex } from '../documentation/operation-index.js';
import type { DescribedOperation } from '../effects/described-operation.js';
import { BackgroundWork } from '../platform/background.js';
import { Turns } from '../platform/turns.js';
import { isLong } from '../request-reading/request-content.js';
import { requestMethods } from '../request-reading/request-methods.js';
import { calledTools, rpcSteps } from '../request-reading/rpc-calls.js';
import type { ServiceView } from '../service-view/service-view.js';
import { FirstTimes } from './first-times.js';
import { NOT_DOCUMENTED, RequestFacts, type Documented } from './request-facts.js';
import type { RiskRequest } from './risk-verdict.js';
import { serviceNeeds, type FactNeeds } from './service-needs.js';

type ToolsCall = MethodsCall & { tools: readonly string[] };

const toCall = (request: RiskRequest): ToolsCall => ({
  method: request.method,
  methods: requestMethods(request),
  targetUrl: request.targetUrl,
  tools: calledTools(request),
});

const NO_NEEDS: FactNeeds = { facts: true, firstTime: false, effects: false };

/** Finds the facts of requests, in memory where it can. */
@Injectable()
export class RequestFactsReader {
  constructor(
    private readonly operations: OperationIndex,
    private readonly firstTimes: FirstTimes,
    private readonly background: BackgroundWork,
    private readonly turns: Turns,
  ) {}

  /** @returns undefined if the database must be asked, or if judging the body takes long */
  inMemory(agentId: number, service: ServiceView, request: RiskRequest, needs: FactNeeds): RequestFacts | undefined {
    if (isLong(request)) return undefined;
    const documented = this.documentedInMemory(service, request);
    if (documented === undefined) return undefined;
    const firstTime = needs.firstTime
      ? this.firstTimes.inMemory(agentId, service, request, documented.operation)
      : null;
    if (firstTime === undefined) return undefined;
    return new RequestFacts(request, service.baseUrl, documented, firstTime);
  }

  async of(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    needs: FactNeeds = NO_NEEDS,
  ): Promise<RequestFacts> {
    // Whatever asks for the tools that it calls then gets them at once.
    if (isLong(request)) await this.turns.finishInOrder(agentId, rpcSteps(request));
    const documented = this.documentedInMemory(service, request) ?? (await this.documented(service, request));
    const firstTime = needs.firstTime
      ? await this.firstTimes.isFirst(agentId, service, request, documented.operation)
      : null;
    return new RequestFacts(request, service.baseUrl, documented, firstTime);
  }

  /** What the request would do, in words. */
  async effects(agentId: number, service: ServiceView, request: RiskRequest): Promise<readonly RequestEffect[]> {
    const facts = await this.of(agentId, service, request);
    if (isLong(request)) await this.turns.finishInOrder(agentId, facts.effectSteps());
    return facts.effects;
  }

  /** After a request was sent: it is no first time any more. If that can't be stored, it counts as one again. */
  sent(agentId: number, service: ServiceView, request: RiskRequest): void {
    if (!serviceNeeds(service).firstTime) return;
    this.background.run('first times', async () => {
      const { operation } = await this.documented(service, request);
      await this.firstTimes.remember(agentId, service, request, operation);
    });
  }

  private documentedInMemory(service: ServiceView, request: RiskRequest): Documented | undefined {
    if (service.documentIds.length === 0) return NOT_DOCUMENTED;
    const call = toCall(request);
    const { tools, ...plain } = call;
    const all = this.operations.describedAll(service, plain);
    if (all === undefined) return undefined;
    const { own: atPath, others } = all;
    const operation = tools.length === 0 ? atPath : this.operations.described(service, call);
    if (operation === undefined) return undefined;
    const known = new Map<string, DescribedOperation>();
    for (const tool of tools) {
      const described = this.operations.described(service, { ...plain, tools: [tool] });
      if (described === undefined) return undefined;
      if (described !== null) known.set(tool, described);
    }
    return this.toDocumented(service, call, { operation, atPath, others }, known);
  }

  private async documented(service: ServiceView, request: RiskRequest): Promise<Documented> {
    if (service.documentIds.length === 0) return NOT_DOCUMENTED;
    const call = toCall(request);
    const { tools, ...plain } = call;
    const { own: atPath, others } = await this.operations.describeAll(service, plain);
    const operation = tools.length === 0 ? atPath : await this.operations.describe(service, call);
    const known = new Map<string, DescribedOperation>();
    for (const tool of tools) {
      const described = await this.operations.describe(service, { ...plain, tools: [tool] });
      if (described !== null) known.set(tool, described);
    }
    return this.toDocumented(service, call, { operation, atPath, others }, known);
  }

  private toDocumented(
    service: ServiceView,
    call: ToolsCall,
    found: Pick<Documented, 'operation' | 'atPath' | 'others'>,
    known: ReadonlyMap<string, DescribedOperation>,
  ): Documented {
    const isAmbiguous = (): boolean => this.operations.isAmbiguous(service, call);
    return { ...found, isAmbiguous, tools: this.hasList(service, call.tools, known) ? known : null };
  }

  /** A tool that a known list lacks does nobody knows what. */
  private hasList(service: ServiceView, tools: readonly string[], known: ReadonlyMap<string, unknown>): boolean {
    return (
      known.size > 0 ||
      (this.operations.unknownTools(service, { method: 'POST', targetUrl: '', tools }) ?? []).length > 0
    );
  }
}

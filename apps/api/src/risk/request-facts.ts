import { isDeepStrictEqual } from 'node:util';
import type { RequestEffect } from '#contracts/risk';
import { parseUrl, strictReadings } from '#egress';
import { ConditionFacts, type ConditionOperation } from '../conditions/facts.js';
import { classifySteps } from '../effects/classify.js';
import type { DescribedOperation } from '../effects/described-operation.js';
import type { Classified } from '../effects/findings.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { pathParameters } from '../request-reading/path-parameters.js';
import { requestContent } from '../request-reading/request-content.js';
import { isRpcEndpoint } from '../request-reading/rpc-calls.js';
import { requestMethods } from '../request-reading/request-methods.js';
import type { RiskRequest } from './risk-verdict.js';

/** What the documents of a service say about a request. */
export interface Documented {
  /** The operation, or the tool that the request calls. Null: nothing. */
  operation: DescribedOperation | null;
  /** The operation at the path, whatever tool the body calls. */
  atPath: DescribedOperation | null;
  /** Others for which some server may take the request. Null: too many to be found. */
  others: readonly DescribedOperation[] | null;
  /** Whether nobody can say which operation it is, or whether it is one. Asked only by conditions. */
  isAmbiguous: () => boolean;
  /** The documented tools that the request calls, by name. Null: the service has no list of tools. */
  tools: ReadonlyMap<string, DescribedOperation> | null;
}

export const NOT_DOCUMENTED: Documented = {
  operation: null,
  atPath: null,
  others: [],
  isAmbiguous: () => false,
  tools: null,
};

/** Several parts of the gateway ask about one request. After a change of the documents it is read anew. */
const known = new WeakMap<RiskRequest, Classified>();

/** What the gateway knows of a request besides its text. Each fact is computed at its first use. */
export class RequestFacts {
  private conditions?: ConditionFacts;

  constructor(
    private readonly request: RiskRequest,
    private readonly baseUrl: string,
    private readonly documented: Documented,
    /** Null: nobody asked. */
    private readonly firstTime: boolean | null,
  ) {}

  /** What the request does. */
  get effects(): readonly RequestEffect[] {
    return atOnce(this.effectSteps()).effects;
  }

  /** What `effects` returns, and whether all of the request was read. */
  *effectSteps(): ShortSteps<Classified> {
    let found = known.get(this.request);
    if (found === undefined) {
      const { atPath: operation, others, tools } = this.documented;
      known.set(this.request, (found = yield* classifySteps(this.request, this.baseUrl, { operation, tools, others })));
    }
    return found;
  }

  /** Whether nobody knows all that the request says: the body can't be read, or has more than is read. */
  get isUnreadable(): boolean {
    return requestContent(this.request).kind === 'unreadable' || !atOnce(this.effectSteps()).isWhole;
  }

  /** The same facts for another assessment, with steps of its own. */
  anew(): RequestFacts {
    return new RequestFacts(this.request, this.baseUrl, this.documented, this.firstTime);
  }

  /** What conditions read. All conditions of an assessment share its steps. */
  forConditions(agentId: number, nowMs: number): ConditionFacts {
    const { request } = this;
    return (this.conditions ??= new ConditionFacts({
      request,
      agentId,
      agentName: request.agentName,
      nowMs,
      operation: () => this.operation,
      pathParams: () => this.pathParameters,
      effects: () => this.effects.map(({ effect }) => effect).sort(),
      firstTime: () => this.firstTime,
    }));
  }

  private get operation(): ConditionOperation | null | 'ambiguous' {
    const { operation } = this.documented;
    if (this.isAmbiguous) return 'ambiguous';
    if (operation === null) return null;
    const { id, tags, summary, deprecated } = operation;
    return { id, tags, summary, deprecated, isWrite: this.effects.some(({ effect }) => effect === 'write') };
  }

  private get isAmbiguous(): boolean {
    return this.hasOtherMethods || this.isToolElsewhere || this.documented.isAmbiguous();
  }

  /** At another documented operation than an endpoint for calls, a server may not read the body as a call of a tool. */
  private get isToolElsewhere(): boolean {
    const { tools, atPath, others } = this.documented;
    if (tools === null) return false;
    return others === null || [atPath, ...others].some((each) => each !== null && !isRpcEndpoint(each));
  }

  /** By its other method, a documented request would be another operation. */
  private get hasOtherMethods(): boolean {
    return this.documented !== NOT_DOCUMENTED && requestMethods(this.request).length > 1;
  }

  private get pathParameters(): Record<string, string> | 'ambiguous' {
    const url = parseUrl(this.request.targetUrl);
    const { operation } = this.documented;
    if (this.isAmbiguous) return 'ambiguous';
    if (operation === null || url === null) return {};
    const readings = strictReadings(url, this.baseUrl) ?? [];
    const [first, ...others] = readings.map((path) => pathParameters(operation.path, path));
    const isAlike = first !== undefined && others.every((each) => isDeepStrictEqual(each, first));
    return isAlike ? first : 'ambiguous';
  }
}

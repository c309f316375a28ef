import { Injectable } from '@nestjs/common';
import type { RequestEffect } from '#contracts/risk';
import { OperationIndex } from '../documentation/operation-index.js';
import { classify } from '../effects/classify.js';
import type { DescribedOperation } from '../effects/described-operation.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { RiskRequest } from './risk-verdict.js';

/** What the gateway knows of a request besides its text. Each fact is computed at its first use. */
export class RequestFacts {
  private known?: readonly RequestEffect[];

  constructor(
    private readonly request: RiskRequest,
    private readonly baseUrl: string,
    /** Null: none is documented. */
    readonly operation: DescribedOperation | null,
  ) {}

  /** What the request does. */
  get effects(): readonly RequestEffect[] {
    return (this.known ??= classify(this.request, this.baseUrl, this.operation));
  }
}

/** Finds the facts of requests. */
@Injectable()
export class RequestFactsReader {
  /** Several parts of the gateway ask about one request. */
  private readonly read = new WeakMap<RiskRequest, RequestFacts>();

  constructor(private readonly operations: OperationIndex) {}

  /** @returns undefined if the documentation must be read first */
  inMemory(service: ServiceView, request: RiskRequest): RequestFacts | undefined {
    const found = this.read.get(request);
    if (found !== undefined) return found;
    const operation = this.operations.described(service, request);
    return operation === undefined ? undefined : this.keep(service, request, operation);
  }

  async of(service: ServiceView, request: RiskRequest): Promise<RequestFacts> {
    return (
      this.inMemory(service, request) ?? this.keep(service, request, await this.operations.describe(service, request))
    );
  }

  private keep(service: ServiceView, request: RiskRequest, operation: DescribedOperation | null): RequestFacts {
    const facts = new RequestFacts(request, service.baseUrl, operation);
    this.read.set(request, facts);
    return facts;
  }
}

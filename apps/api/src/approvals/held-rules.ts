import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { Turns } from '../platform/turns.js';
import { requestMethods } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import type { FactNeeds } from '../risk/service-needs.js';
import { matchingSteps } from '../rules/rule-matching.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { HeldBodies } from './held-bodies.js';

/** The present rules that match a held request. */
@Injectable()
export class HeldRules {
  constructor(
    private readonly bodies: HeldBodies,
    private readonly facts: RequestFactsReader,
    private readonly clock: Clock,
    private readonly turns: Turns,
  ) {}

  /**
   * Conditions see the time at which the request was made: a rule for the night is about this request also in the
   * morning.
   * @param needs without `firstTime`, a rule that restricts and reads it matches. With it, it is about now, and so about
   * the next request that is similar.
   * @returns the strongest first
   */
  async of(action: ActionEntity, service: ServiceView, needs?: FactNeeds): Promise<ServiceRule[]> {
    const request = await this.request(action);
    const agentId = action.agentId ?? 0;
    const facts = await this.facts.of(agentId, service, request, needs);
    const subject = {
      agentId,
      methods: requestMethods(request),
      path: new RequestPath(new URL(request.targetUrl), service.baseUrl),
      facts: facts.forConditions(agentId, action.createdAt.getTime()),
    };
    return this.turns.finish(agentId, matchingSteps(service.rules, subject, this.clock.nowMs()));
  }

  private async request(action: ActionEntity): Promise<RiskRequest> {
    const { method, targetUrl, headers, intent, agentName } = action;
    const { judged = null, raw = null, binaryBytes = null } = (await this.bodies.of(action)) ?? {};
    return { method, targetUrl, headers, intent, agentName, body: judged, rawBody: raw, binaryBytes };
  }
}

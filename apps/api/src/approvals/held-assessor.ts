import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ActionEntity } from '#database';
import { EventHub } from '../events/event-hub.js';
import { BackgroundWork } from '../platform/background.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import { ServiceRegistry } from '../services/service-registry.js';
import { HeldBodies } from './held-bodies.js';
import { PendingAssessments, type ClaimedAssessment } from './pending-assessments.js';

/** How many assessments a process runs at once, each of another agent. Requests that wait for the model need it more. */
const CONCURRENCY = 4;

/**
 * Asks the model about requests that something else has held (docs/reference/risk.md#assessment). Runs on every instance.
 * The event of a held request wakes it, and the schedule in case one was missed.
 */
@Injectable()
export class HeldAssessor implements BeforeApplicationShutdown {
  /** The agents of the assessments in progress here, and whether the request is large. */
  private readonly running = new Map<number, boolean>();
  private looking = false;
  private again = false;
  private stopped = false;

  constructor(
    private readonly source: DataSource,
    private readonly pending: PendingAssessments,
    private readonly risk: RiskAssessor,
    private readonly services: ServiceRegistry,
    private readonly bodies: HeldBodies,
    private readonly hub: EventHub,
    private readonly background: BackgroundWork,
  ) {
    hub.listenForDue(() => this.wake());
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
  }

  @Cron(CronExpression.EVERY_MINUTE)
  tidy(): void {
    this.background.run('assessments that nobody can make', () => this.pending.giveUp());
    this.wake();
  }

  private wake(): void {
    this.again = true;
    if (this.looking || this.isStopping) return;
    this.looking = true;
    this.background.run('assessments of held requests', () => this.look());
  }

  private get isStopping(): boolean {
    return this.stopped || this.hub.isStopped;
  }

  private async look(): Promise<void> {
    try {
      while (this.again && this.running.size < CONCURRENCY && !this.isStopping) {
        this.again = false;
        const hasLarge = [...this.running.values()].includes(true);
        const claimed = await this.pending.claim([...this.running.keys()], hasLarge);
        if (claimed === null) continue;
        this.again = true;
        this.start(claimed);
      }
    } finally {
      // In the same tick as the last check of `again`, so that no call to `wake` is lost in between.
      this.looking = false;
    }
  }

  private start(claimed: ClaimedAssessment): void {
    this.running.set(claimed.agentId, claimed.isLarge);
    this.background.run('assessment of a held request', async () => {
      try {
        await this.assess(claimed);
      } finally {
        this.running.delete(claimed.agentId);
        this.wake();
      }
    });
  }

  private async assess(claimed: ClaimedAssessment): Promise<void> {
    const action = await this.source.manager.findOneBy(ActionEntity, { id: claimed.id });
    // Its agent or service may have been deleted meanwhile.
    if (action === null || action.serviceId === null) return;
    const service = await this.services.view(action.workspaceId, action.serviceId);
    const request = await this.toRiskRequest(action);
    const verdict = await this.risk.assessHeld(claimed.agentId, service, request);
    await this.pending.store(claimed, action.riskExplanation, verdict);
  }

  /** The request as it was assessed when it was held. */
  private async toRiskRequest(action: ActionEntity): Promise<RiskRequest> {
    const { method, targetUrl, headers, intent, unstatedIntent, agentName } = action;
    const body = await this.bodies.of(action);
    return {
      method,
      targetUrl,
      headers,
      intent,
      unstatedIntent,
      agentName,
      body: body?.judged ?? null,
      rawBody: body?.isCoded ? body.raw : null,
      binaryBytes: body?.binaryBytes ?? null,
      bodyDescription: body?.description ?? null,
    };
  }
}

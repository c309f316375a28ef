import { Injectable } from '@nestjs/common';
import {
  IDEMPOTENCY_TTL_HOURS,
  INTENT_MAX,
  POLL_INTERVAL_SECONDS,
  PREFER_WAIT_MAX_SECONDS,
  TARGET_URL_MAX,
  UPSTREAM_TIMEOUT_MS,
  type AgentDescription,
  type AgentLimits,
  type AgentLinks,
} from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import { Clock } from '../platform/clock.js';
import { AgentsConfig, ApprovalsConfig, RiskConfig } from '../platform/config.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import { rulesInWords } from '../rules/rule-words.js';

/**
 * Describes an agent and the gateway to that agent. Includes no secrets and no guidance rules, which only the model
 * sees.
 */
@Injectable()
export class AgentDescriber {
  constructor(
    private readonly risk: RiskConfig,
    private readonly approvals: ApprovalsConfig,
    private readonly agents: AgentsConfig,
    private readonly clock: Clock,
  ) {}

  describe(agent: AgentView, gatewayUrl: string): AgentDescription {
    const nowMs = this.clock.nowMs();
    return {
      id: agent.id,
      name: agent.name,
      services: agent.services.map((service) => ({
        id: service.id,
        name: service.name,
        baseUrl: service.baseUrl,
        gatewayBaseUrl: `${gatewayUrl}/s/${encodeURIComponent(service.name)}`,
        credentialHeaders: injectedHeaderNames(service),
        documented: service.documentIds.length > 0,
        rules: rulesInWords(service.rules, agent.id, nowMs),
      })),
      otherwise:
        `Every other request gets a risk score from 0 to 1. Below ${this.risk.threshold} it is sent immediately; ` +
        `from ${this.risk.threshold} on it is held until a human approves.`,
      limits: this.limits(),
      links: agentLinks(gatewayUrl),
    };
  }

  limits(): AgentLimits {
    return {
      riskThreshold: this.risk.threshold,
      bodyBytes: this.agents.bodyMaxBytes,
      upstreamTimeoutSeconds: UPSTREAM_TIMEOUT_MS / 1000,
      intentCharacters: INTENT_MAX,
      targetUrlCharacters: TARGET_URL_MAX,
      waitSeconds: PREFER_WAIT_MAX_SECONDS,
      pollSeconds: POLL_INTERVAL_SECONDS,
      decideWithinHours: this.approvals.pendingTtlHours,
      executeWithinHours: this.approvals.executeTtlHours,
      idempotencyKeyHours: IDEMPOTENCY_TTL_HOURS,
    };
  }
}

export function agentLinks(gatewayUrl: string): AgentLinks {
  return {
    proxy: `${gatewayUrl}/proxy`,
    status: `${gatewayUrl}/status/{actionId}`,
    execute: `${gatewayUrl}/proxy/execute/{actionId}`,
    callback: `${gatewayUrl}/agent/callback`,
    mcp: `${gatewayUrl}/mcp`,
    skill: `${gatewayUrl}/SKILL.md`,
    openapi: `${gatewayUrl}/openapi.json`,
  };
}

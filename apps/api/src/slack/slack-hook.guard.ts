import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { SLACK_BODY_MAX_BYTES } from '#contracts/limits';
import { addressBlock, readRequestOrigin } from '../auth/request-origin.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { UNAUTHENTICATED } from '../platform/http/body-budget.js';
import { readRawBody } from '../platform/http/raw-body.js';
import { FailedCalls } from './failed-calls.js';
import { SlackChannels, type SlackChannel } from './slack-channels.js';
import { isSignedBy, readSlackSignature } from './slack-signature.js';

export type SlackRequest = Request & { slack: { channel: SlackChannel; body: Buffer } };

const ONCE = `INSERT INTO slack_requests (signature, received_at) VALUES ($1, now()) ON CONFLICT DO NOTHING RETURNING 1`;

/**
 * Accepts only requests that Slack signed recently for the app of the channel, each one once. Nothing of the body is
 * parsed before that. An unknown channel looks like a wrong signature.
 */
@Injectable()
export class SlackHookGuard implements CanActivate {
  private readonly failed: FailedCalls;

  constructor(
    private readonly channels: SlackChannels,
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {
    this.failed = new FailedCalls(clock);
  }

  /** @throws ApiError 400, 401, 413, 429, 503 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SlackRequest>();
    // Read first: when its body has arrived, the connection may be closed.
    const address = addressBlock(readRequestOrigin(request).address);
    const verified = await this.verified(request);
    if (verified === null) {
      this.failed.count(address);
      throw errors.notFromSlack();
    }
    request.slack = verified;
    return true;
  }

  private async verified(request: Request): Promise<SlackRequest['slack'] | null> {
    const signature = readSlackSignature(request.headers, this.clock.nowMs());
    if (signature === null) return null;
    const { channelId } = request.params;
    const channel = /^[1-9]\d{0,8}$/.test(String(channelId)) ? await this.channels.find(Number(channelId)) : null;
    if (channel === null) return null;
    const body = (await readRawBody(request, UNAUTHENTICATED, SLACK_BODY_MAX_BYTES)) ?? Buffer.alloc(0);
    if (!isSignedBy(signature, body, channel.signingSecret)) return null;
    const first: unknown[] = await this.source.query(ONCE, [signature.hex]);
    return first.length === 1 ? { channel, body } : null;
  }
}

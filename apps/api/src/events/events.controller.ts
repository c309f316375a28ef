import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { EVENTS_HEARTBEAT_SECONDS, EVENT_STREAMS_MAX, GatewayEvent } from '#contracts';
import { SessionRegistry } from '../auth/sessions.js';
import { errors } from '../platform/errors.js';
import { Clock } from '../platform/clock.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AccessTokens } from '../membership/access-tokens.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { Memberships } from '../membership/memberships.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { EventHub } from './event-hub.js';
import { EventStream } from './event-stream.js';

/** The longest time that a timer of Node can run, about 24.8 days. A longer one would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

@ApiTags('Live updates')
@ApiBearerAuth()
@Controller('events')
@UseGuards(MemberGuard)
export class EventsController {
  constructor(
    private readonly hub: EventHub,
    private readonly sessions: SessionRegistry,
    private readonly memberships: Memberships,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({
    summary: 'Follow changes as server-sent events',
    description:
      'The name of each event is its type, and its data is a GatewayEvent. The stream ends when the access token expires, when the ' +
      'session is revoked, and when events may have been missed. Then reconnect, and fetch again what you show.',
  })
  @ApiExtraModels(GatewayEvent)
  @ApiOkResponse({
    description: 'An endless stream',
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(GatewayEvent) } } },
  })
  @ApiErrors(401, 429)
  stream(@CurrentMember() member: ActingMember, @Req() request: Request, @Res() response: Response): void {
    // If the client disconnected during the session lookup, `close` has already fired, and the stream would never be
    // released.
    if (response.closed) return;
    // A refusal of the new stream, and not the end of the oldest: its reader would connect again and end another one.
    if (request.method !== 'HEAD' && this.hub.countStreams(member.id) >= EVENT_STREAMS_MAX)
      throw errors.tooManyStreams();
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    // Express uses this route for HEAD too. A HEAD response has no body to stream.
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const stream = new EventStream(response);
    stream.write(': connected\n\n');
    const heartbeat = setInterval(() => stream.write(': heartbeat\n\n'), EVENTS_HEARTBEAT_SECONDS * 1000);
    stream.onEnd(() => clearInterval(heartbeat));
    const leftMs = Math.min(member.expiresAt.getTime() - this.clock.nowMs(), TIMER_MAX_MS);
    const expiry = setTimeout(() => stream.end(), leftMs);
    stream.onEnd(() => clearTimeout(expiry));
    const unsubscribe = this.hub.subscribe({
      workspaceId: member.workspaceId,
      userId: member.id,
      onEvent: (event) => {
        if (endsStream(event, member)) stream.end();
        else stream.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      },
      onEnd: () => stream.end(),
    });
    stream.onEnd(unsubscribe);
    // If the session was revoked or the person removed between the guard's check and the subscription, this stream
    // missed the event.
    this.assertStillAllowed(member).catch(() => stream.end());
  }

  private async assertStillAllowed(member: ActingMember): Promise<void> {
    if (member.token !== null) await this.tokens.assertAlive(member.token.id);
    if (member.sessionId !== null) await this.sessions.assertAlive({ id: member.id, sessionId: member.sessionId });
    if ((await this.memberships.findRole(member.id, member.workspaceId)) === null) throw errors.resourceNotFound();
  }
}

/** Whether the stream must end: the session or the token was revoked, or the person is no longer a member. */
function endsStream({ type, id }: GatewayEvent, member: ActingMember): boolean {
  if (type === 'session.revoked') return id === member.sessionId;
  if (type === 'token.revoked') return id === member.token?.id;
  return type === 'member.removed' && id === member.id;
}

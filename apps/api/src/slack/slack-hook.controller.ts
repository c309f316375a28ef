import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../platform/http/api-errors.js';
import { SlackDecisions } from './slack-decisions.js';
import { SlackHookGuard, type SlackRequest } from './slack-hook.guard.js';
import { parseSlackInteraction } from './slack-payload.js';

@ApiTags('Channels')
@Controller('hooks/slack')
export class SlackHookController {
  constructor(private readonly decisions: SlackDecisions) {}

  @Post(':channelId')
  @HttpCode(200)
  @UseGuards(SlackHookGuard)
  @ApiParam({ name: 'channelId', schema: { type: 'integer' } })
  @ApiHeader({ name: 'X-Slack-Signature', required: true, schema: { type: 'string' } })
  @ApiHeader({ name: 'X-Slack-Request-Timestamp', required: true, schema: { type: 'string' } })
  @ApiOperation({
    summary: 'Called by Slack when a person presses a button or submits a form',
    description:
      'The request URL of the Slack app. The body is a form with the field `payload`, up to 256 kB, signed with the signing secret of the channel.',
  })
  @ApiOkResponse({ description: 'Tells Slack what to do with the form', schema: { type: 'object' } })
  @ApiErrors(400, 401, 413, 429, 500, 503)
  interact(@Req() { slack: { channel, body }, requestId }: SlackRequest): Promise<object> {
    return this.decisions.answer(channel, parseSlackInteraction(body), requestId);
  }
}

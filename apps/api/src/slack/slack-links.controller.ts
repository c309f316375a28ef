import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { MessageResponse, SlackLink, SlackLinkRequest, SlackLinkToken } from '#contracts';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { SlackLinks } from './slack-links.js';

/** People link their Slack user with their account, so that they can decide in Slack. */
@ApiTags('Channels')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('slack-links')
export class SlackLinksController {
  constructor(private readonly links: SlackLinks) {}

  @Get()
  @Requires('approver', { loggedIn: true })
  @ApiOperation({ summary: 'List the Slack accounts that decide as you' })
  @ApiOkResponse({ type: [SlackLink] })
  @ApiErrors(401, 500, 503)
  list(@CurrentMember() member: ActingMember): Promise<SlackLink[]> {
    return this.links.list(member);
  }

  @Post('view')
  @HttpCode(200)
  @Requires('approver', { loggedIn: true })
  @ApiOperation({ summary: 'Get the details of a link from Slack. The link stays usable' })
  @ApiOkResponse({ type: SlackLinkRequest })
  @ApiErrors(401, 410, 413, 415, 500, 503)
  view(@CurrentMember() member: ActingMember, @Body() { token }: SlackLinkToken): Promise<SlackLinkRequest> {
    return this.links.view(member, token);
  }

  @Post()
  @Requires('approver', { loggedIn: true })
  @ApiOperation({ summary: 'Let the Slack user of a link decide as you. The session must be confirmed' })
  @ApiCreatedResponse({ type: SlackLink })
  @ApiErrors(401, 410, 413, 415, 500, 503)
  create(
    @CurrentMember() member: ActingMember & { sessionId: string },
    @Body() { token }: SlackLinkToken,
    @Req() { requestId }: Request,
  ): Promise<SlackLink> {
    return this.links.link(member, token, requestId);
  }

  @Delete(':id')
  @Requires('approver', { loggedIn: true })
  @ApiOperation({ summary: 'End a link: the Slack user can no longer decide as you' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 500, 503)
  async remove(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Req() { requestId }: Request,
  ): Promise<MessageResponse> {
    await this.links.unlink(member, id, requestId);
    return { message: 'Link deleted' };
  }
}

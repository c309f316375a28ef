import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Channel,
  ChannelDeliveryPage,
  ChannelTestResult,
  CreateChannelRequest,
  CreatedChannel,
  ListDeliveriesQuery,
  MessageResponse,
  RotatedChannelSecret,
  UpdateChannelRequest,
} from '#contracts';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { ChannelDeliveries } from './channel-deliveries.js';
import { ChannelRegistry } from './channel-registry.js';

/** People see and manage their own channels, and, as administrators, those of the workspace. */
@ApiTags('Channels')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('channels')
export class ChannelsController {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly deliveries: ChannelDeliveries,
  ) {}

  @Get()
  @Requires('approver')
  @ApiOperation({ summary: 'List your channels and, as an administrator, those of the workspace' })
  @ApiOkResponse({ type: [Channel] })
  @ApiErrors(401, 500, 503)
  list(@CurrentMember() member: ActingMember): Promise<Channel[]> {
    return this.channels.list(member);
  }

  @Post()
  @Requires('approver')
  @ApiOperation({
    summary: 'Create a channel. Only this response contains the secret of a webhook',
    description: 'Channels of the workspace (`slack`, `teams`, `discord`, `webhook`) need the role admin.',
  })
  @ApiCreatedResponse({ type: CreatedChannel })
  @ApiErrors(401, 409, 413, 415, 500, 503)
  create(@Author() author: ChangeAuthor, @Body() body: CreateChannelRequest): Promise<CreatedChannel> {
    return this.channels.create(author, body);
  }

  @Get(':id')
  @Requires('approver')
  @ApiOperation({ summary: 'Get a channel' })
  @ApiOkResponse({ type: Channel })
  @ApiErrors(401, 500, 503)
  get(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<Channel> {
    return this.channels.get(member, id);
  }

  @Put(':id')
  @Requires('approver')
  @ApiOperation({ summary: 'Change a channel. Fields that are left out stay as they are' })
  @ApiOkResponse({ type: Channel })
  @ApiErrors(401, 413, 415, 500, 503)
  update(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() body: UpdateChannelRequest,
  ): Promise<Channel> {
    return this.channels.update(author, id, body);
  }

  @Delete(':id')
  @Requires('approver')
  @ApiOperation({ summary: 'Delete a channel. Notifications that were not sent yet are discarded' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 500, 503)
  async remove(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<MessageResponse> {
    await this.channels.delete(author, id);
    return { message: 'Channel deleted' };
  }

  @Post(':id/test')
  @Requires('approver')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send a test immediately, and return its result' })
  @ApiOkResponse({ type: ChannelTestResult })
  @ApiErrors(401, 409, 429, 500, 503)
  test(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<ChannelTestResult> {
    return this.deliveries.test(author, id);
  }

  @Get(':id/deliveries')
  @Requires('approver')
  @ApiOperation({ summary: 'List the notifications of the last 30 days' })
  @ApiOkResponse({ type: ChannelDeliveryPage })
  @ApiErrors(401, 500, 503)
  listDeliveries(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Query() query: ListDeliveriesQuery,
  ): Promise<ChannelDeliveryPage> {
    return this.deliveries.page(member, id, query);
  }

  @Post(':id/rotate-secret')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace the secret of a webhook. For 24 hours notifications are signed with the old one too',
  })
  @ApiOkResponse({ type: RotatedChannelSecret })
  @ApiErrors(401, 409, 500, 503)
  rotateSecret(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<RotatedChannelSecret> {
    return this.channels.rotateSecret(author, id);
  }
}

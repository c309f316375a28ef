import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CallbackDelivery,
  CallbackDeliveryPage,
  CallbackResponse,
  ListDeliveriesQuery,
  MessageResponse,
  PutCallbackRequest,
  RotatedCallbackSecret,
  SavedCallback,
} from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { toCallbackAuthor } from './callback-author.js';
import { CallbackDeliveries } from './callback-deliveries.js';
import { CallbackRegistry } from './callback-registry.js';

/** Endpoints with which the owner of an agent manages its callback. */
@ApiTags('Callbacks')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('agents/:id/callback')
export class CallbacksController {
  constructor(
    private readonly callbacks: CallbackRegistry,
    private readonly deliveries: CallbackDeliveries,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'Get the callback of an agent' })
  @ApiOkResponse({ type: CallbackResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  get(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<CallbackResponse> {
    return this.callbacks.get(member.workspaceId, id);
  }

  @Put()
  @Requires('admin')
  @ApiOperation({ summary: 'Register or change the callback. Only this response contains the secret of a new one' })
  @ApiBody({ type: PutCallbackRequest })
  @ApiOkResponse({ type: SavedCallback })
  @ApiErrors(400, 401, 403, 404, 413, 415, 500, 503)
  put(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: object,
  ): Promise<SavedCallback> {
    return this.callbacks.put(toCallbackAuthor(author, id), request);
  }

  @Delete()
  @Requires('admin')
  @ApiOperation({ summary: 'Remove the callback and its deliveries' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async remove(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<MessageResponse> {
    await this.callbacks.remove(toCallbackAuthor(author, id));
    return { message: 'Callback removed' };
  }

  @Post('rotate-secret')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the secret. For 24 hours callbacks are signed with the old one too' })
  @ApiOkResponse({ type: RotatedCallbackSecret })
  @ApiErrors(400, 401, 404, 500, 503)
  rotateSecret(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<RotatedCallbackSecret> {
    return this.callbacks.rotateSecret(toCallbackAuthor(author, id));
  }

  @Post('test')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send a test event' })
  @ApiOkResponse({ type: CallbackDelivery })
  @ApiErrors(400, 401, 403, 404, 409, 500, 503)
  test(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<CallbackDelivery> {
    return this.deliveries.test(toCallbackAuthor(author, id));
  }

  @Get('deliveries')
  @Requires('auditor')
  @ApiOperation({ summary: 'List the sent and pending deliveries of the last 30 days' })
  @ApiOkResponse({ type: CallbackDeliveryPage })
  @ApiErrors(400, 401, 404, 500, 503)
  list(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Query() query: ListDeliveriesQuery,
  ): Promise<CallbackDeliveryPage> {
    return this.deliveries.page(member.workspaceId, id, query);
  }

  @Post('deliveries/:deliveryId/redeliver')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send a delivery again, with the same id' })
  @ApiOkResponse({ type: CallbackDelivery })
  @ApiErrors(400, 401, 403, 404, 409, 500, 503)
  redeliver(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('deliveryId') deliveryId: string,
  ): Promise<CallbackDelivery> {
    return this.deliveries.redeliver(toCallbackAuthor(author, id), deliveryId);
  }
}

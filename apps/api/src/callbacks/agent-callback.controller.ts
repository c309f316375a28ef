import { Body, Controller, Delete, Get, HttpCode, Post, Put, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  CallbackDelivery,
  CallbackResponse,
  MessageResponse,
  PutCallbackRequest,
  RotatedCallbackSecret,
  SavedCallback,
} from '#contracts';
import { AGENT_KEY_SCHEME } from '../agents/agent-key-scheme.js';
import { FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AgentAuthor, type CallbackAuthor } from './callback-author.js';
import { CallbackDeliveries } from './callback-deliveries.js';
import { CallbackRegistry } from './callback-registry.js';

/** Endpoints with which an agent manages its own callback. */
@ApiTags('Agents: callback')
@ApiSecurity(AGENT_KEY_SCHEME)
@UseGuards(FreshAgentKeyGuard)
@Controller('agent/callback')
export class AgentCallbackController {
  constructor(
    private readonly callbacks: CallbackRegistry,
    private readonly deliveries: CallbackDeliveries,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get your callback' })
  @ApiOkResponse({ type: CallbackResponse })
  @ApiErrors(401, 403, 500, 503)
  get(@AgentAuthor() { actor, agentId }: CallbackAuthor): Promise<CallbackResponse> {
    return this.callbacks.get(actor.workspaceId, agentId);
  }

  @Put()
  @ApiOperation({
    summary: 'Register or change your callback. Only this response contains the secret of a new one',
    description:
      'The gateway sends a signed POST (Standard Webhooks) to this URL when one of your actions is approved or denied, expires or is ' +
      'executed. ' +
      'Your owner must have listed its host; otherwise you get a 403, and the owner sees the host as a suggestion. ' +
      'A callback can arrive more than once and out of order: use `webhook-id` to recognise repeats, and the status in the body.',
  })
  @ApiBody({ type: PutCallbackRequest })
  @ApiOkResponse({ type: SavedCallback })
  @ApiErrors(400, 401, 403, 413, 415, 500, 503)
  put(@AgentAuthor() author: CallbackAuthor, @Body() request: object): Promise<SavedCallback> {
    return this.callbacks.put(author, request);
  }

  @Delete()
  @ApiOperation({ summary: 'Remove your callback' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 403, 404, 500, 503)
  async remove(@AgentAuthor() author: CallbackAuthor): Promise<MessageResponse> {
    await this.callbacks.remove(author);
    return { message: 'Callback removed' };
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'Get a new secret. For 24 hours callbacks are signed with the old one too' })
  @ApiOkResponse({ type: RotatedCallbackSecret })
  @ApiErrors(401, 403, 404, 500, 503)
  rotateSecret(@AgentAuthor() author: CallbackAuthor): Promise<RotatedCallbackSecret> {
    return this.callbacks.rotateSecret(author);
  }

  @Post('test')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send yourself a test event' })
  @ApiOkResponse({ type: CallbackDelivery })
  @ApiErrors(401, 403, 404, 409, 500, 503)
  test(@AgentAuthor() author: CallbackAuthor): Promise<CallbackDelivery> {
    return this.deliveries.test(author);
  }
}

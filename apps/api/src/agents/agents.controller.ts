import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  MessageResponse,
  ReplaceScopeRequest,
  ReplaceScopeResponse,
  RotateKeyRequest,
  RotateKeyResponse,
  UpdateAgentRequest,
} from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { AgentRegistry } from './agent-registry.js';
import './agent-rules.js';

@ApiTags('Agents')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('agents')
export class AgentsController {
  constructor(private readonly agents: AgentRegistry) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'List your agents' })
  @ApiOkResponse({ type: [Agent] })
  @ApiErrors(401, 500, 503)
  list(@CurrentMember() member: ActingMember): Promise<Agent[]> {
    return this.agents.list(member.workspaceId);
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Create an agent. Only this response contains its key' })
  @ApiCreatedResponse({ type: CreateAgentResponse })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  create(@Author() author: ChangeAuthor, @Body() request: CreateAgentRequest): Promise<CreateAgentResponse> {
    return this.agents.create(author, request);
  }

  @Get(':id')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get an agent' })
  @ApiOkResponse({ type: Agent })
  @ApiErrors(400, 401, 404, 500, 503)
  get(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<Agent> {
    return this.agents.get(member.workspaceId, id);
  }

  @Put(':id')
  @Requires('admin')
  @ApiOperation({ summary: 'Rename, revoke or reinstate an agent; limit its keys' })
  @ApiOkResponse({ type: Agent })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  update(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: UpdateAgentRequest,
  ): Promise<Agent> {
    return this.agents.update(author, id, request);
  }

  @Delete(':id')
  @Requires('admin')
  @ApiOperation({ summary: 'Delete an agent. Its key stops working and its open actions expire' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async delete(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<MessageResponse> {
    await this.agents.delete(author, id);
    return { message: 'Agent deleted' };
  }

  @Put(':id/services')
  @Requires('admin')
  @ApiOperation({ summary: 'Replace the services that an agent may reach' })
  @ApiOkResponse({ type: ReplaceScopeResponse })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  async replaceScope(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() { serviceIds }: ReplaceScopeRequest,
  ): Promise<ReplaceScopeResponse> {
    const services = await this.agents.replaceScope(author, id, serviceIds);
    return { message: 'Services replaced', services };
  }

  @Post(':id/rotate-key')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace the key of an agent. The old key stops working immediately, or after a grace time',
  })
  @ApiOkResponse({ type: RotateKeyResponse })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  rotateKey(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    // The body may be missing.
    @Body() { graceMinutes = 0 }: RotateKeyRequest,
  ): Promise<RotateKeyResponse> {
    return this.agents.rotateKey(author, id, graceMinutes);
  }

  @Delete(':id/previous-keys')
  @Requires('admin')
  @ApiOperation({ summary: 'End the rotated keys of an agent that still work. Its present key stays' })
  @ApiOkResponse({ type: Agent })
  @ApiErrors(400, 401, 404, 500, 503)
  endPreviousKeys(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<Agent> {
    return this.agents.endPreviousKeys(author, id);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ConfirmCredentialsRequest,
  CREDENTIAL_GRACE_HOURS,
  CreateServiceRequest,
  MessageResponse,
  ReplaceCredentialsRequest,
  ReplaceCredentialsResponse,
  RotateCredentialsRequest,
  Service,
  TestCredentialsRequest,
  TestNewServiceRequest,
  TestServiceRequest,
  TestServiceResult,
  UpdateServiceRequest,
} from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { CredentialRotation } from './credential-rotation.js';
import './service-rules.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';

@ApiTags('Services')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('services')
export class ServicesController {
  constructor(
    private readonly services: ServiceRegistry,
    private readonly rotation: CredentialRotation,
    private readonly tester: ServiceTester,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'List your services' })
  @ApiOkResponse({ type: [Service] })
  @ApiErrors(401, 500, 503)
  list(@CurrentMember() member: ActingMember): Promise<Service[]> {
    return this.services.list(member.workspaceId);
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Register a service with its credentials' })
  @ApiCreatedResponse({ type: Service })
  @ApiErrors(400, 401, 413, 415, 500, 503)
  create(@Author() author: ChangeAuthor, @Body() request: CreateServiceRequest): Promise<Service> {
    return this.services.create(author, request);
  }

  @Post('test')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send one real request to a service that is not registered yet',
    description: 'Nothing of the service is stored, and its credentials are not logged.',
  })
  @ApiOkResponse({ type: TestServiceResult })
  @ApiErrors(400, 401, 413, 415, 429, 500, 503)
  testNew(@Author() author: ChangeAuthor, @Body() request: TestNewServiceRequest): Promise<TestServiceResult> {
    return this.tester.testNew(author, request);
  }

  @Get(':id')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get one service' })
  @ApiOkResponse({ type: Service })
  @ApiErrors(400, 401, 404, 500, 503)
  get(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<Service> {
    return this.services.get(member.workspaceId, id);
  }

  @Put(':id')
  @Requires('admin')
  @ApiOperation({ summary: 'Change name, base URL or auth type; credentials stay the same' })
  @ApiOkResponse({ type: Service })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  update(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: UpdateServiceRequest,
  ): Promise<Service> {
    return this.services.update(author, id, request);
  }

  @Delete(':id')
  @Requires('admin')
  @ApiOperation({ summary: 'Delete a service: every agent loses access immediately' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async delete(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<MessageResponse> {
    await this.services.delete(author, id);
    return { message: 'Service deleted' };
  }

  @Post(':id/credentials')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace all credentials; the previous set can be put back for 24 hours' })
  @ApiOkResponse({ type: ReplaceCredentialsResponse })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  async replaceCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() { credentials }: ReplaceCredentialsRequest,
  ): Promise<ReplaceCredentialsResponse> {
    const replaced = await this.rotation.replace(author, id, credentials, CREDENTIAL_GRACE_HOURS);
    return { message: 'Credentials replaced', ...replaced };
  }

  @Put(':id/credentials')
  @Requires('admin')
  @ApiOperation({
    summary: 'Replace all credentials, and set for how long the previous set can be put back',
    description: 'Names that are not sent are removed.',
  })
  @ApiOkResponse({ type: ReplaceCredentialsResponse })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  async rotateCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() { credentials, graceHours = CREDENTIAL_GRACE_HOURS }: RotateCredentialsRequest,
  ): Promise<ReplaceCredentialsResponse> {
    const replaced = await this.rotation.replace(author, id, credentials, graceHours);
    return { message: 'Credentials replaced', ...replaced };
  }

  @Post(':id/credentials/revert')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put the previous credentials back in place of the stored ones',
    description: 'This works once. The current set is deleted.',
  })
  @ApiOkResponse({ type: ReplaceCredentialsResponse })
  @ApiErrors(400, 401, 404, 409, 500, 503)
  async revertCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
  ): Promise<ReplaceCredentialsResponse> {
    return { message: 'Credentials reverted', ...(await this.rotation.revert(author, id)) };
  }

  @Post(':id/credentials/confirm')
  @Requires('admin', { loggedIn: true })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Let the stored credentials be sent to the hosts that the service has moved to',
    description: 'Needs a confirmation (POST /auth/confirm) in the last five minutes. Tokens are not allowed.',
  })
  @ApiOkResponse({ type: Service })
  @ApiErrors(400, 401, 403, 404, 409, 413, 415, 500, 503)
  async confirmCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() { hosts }: ConfirmCredentialsRequest,
  ): Promise<Service> {
    await this.rotation.confirm(author, id, hosts);
    return this.services.get(author.actor.workspaceId, id);
  }

  @Post(':id/credentials/test')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send one real request with credentials that are not stored yet',
    description: 'The credentials are neither stored nor logged. The stored ones stay in use.',
  })
  @ApiOkResponse({ type: TestServiceResult })
  @ApiErrors(400, 401, 404, 413, 415, 429, 500, 503)
  testCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: TestCredentialsRequest,
  ): Promise<TestServiceResult> {
    return this.tester.testCredentials(author, id, request);
  }

  @Post(':id/test')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send one real request with the stored credentials' })
  @ApiOkResponse({ type: TestServiceResult })
  @ApiErrors(400, 401, 404, 413, 415, 429, 500, 503)
  test(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: TestServiceRequest,
  ): Promise<TestServiceResult> {
    return this.tester.test(author, id, request);
  }
}

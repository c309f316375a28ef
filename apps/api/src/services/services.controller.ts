import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CREDENTIAL_GRACE_HOURS,
  CreateServiceRequest,
  MessageResponse,
  ReplaceCredentialsRequest,
  ReplaceCredentialsResponse,
  RotateCredentialsRequest,
  Service,
  TestCredentialsRequest,
  TestServiceRequest,
  TestServiceResult,
  UpdateServiceRequest,
} from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { Author, type ChangeAuthor } from './change-author.js';
import { CredentialRotation } from './credential-rotation.js';
import './service-rules.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';

@ApiTags('Services')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('services')
export class ServicesController {
  constructor(
    private readonly services: ServiceRegistry,
    private readonly rotation: CredentialRotation,
    private readonly tester: ServiceTester,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List your services' })
  @ApiOkResponse({ type: [Service] })
  @ApiErrors(401, 500, 503)
  list(@CurrentUser() user: AuthenticatedUser): Promise<Service[]> {
    return this.services.list(user.id);
  }

  @Post()
  @ApiOperation({ summary: 'Register a service with its credentials' })
  @ApiCreatedResponse({ type: Service })
  @ApiErrors(400, 401, 413, 415, 500, 503)
  create(@Author() author: ChangeAuthor, @Body() request: CreateServiceRequest): Promise<Service> {
    return this.services.create(author, request);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get one service' })
  @ApiOkResponse({ type: Service })
  @ApiErrors(400, 401, 404, 500, 503)
  get(@CurrentUser() user: AuthenticatedUser, @Param('id', new IdPipe()) id: number): Promise<Service> {
    return this.services.get(user.id, id);
  }

  @Put(':id')
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
  @ApiOperation({ summary: 'Delete a service: every agent loses access immediately' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async delete(@Author() author: ChangeAuthor, @Param('id', new IdPipe()) id: number): Promise<MessageResponse> {
    await this.services.delete(author, id);
    return { message: 'Service deleted' };
  }

  @Post(':id/credentials')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace all credentials; the set before can be put back for 24 hours' })
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
  @ApiOperation({
    summary: 'Replace all credentials, and say how long the set before can be put back',
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
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put the previous credentials back in place of the stored ones',
    description: 'This uses the previous set up. The set that was in force until now is deleted.',
  })
  @ApiOkResponse({ type: ReplaceCredentialsResponse })
  @ApiErrors(400, 401, 404, 409, 500, 503)
  async revertCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
  ): Promise<ReplaceCredentialsResponse> {
    return { message: 'Credentials reverted', ...(await this.rotation.revert(author, id)) };
  }

  @Post(':id/credentials/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send one real request with credentials that are not stored yet',
    description: 'The credentials are neither stored nor logged. Those that are stored stay in force.',
  })
  @ApiOkResponse({ type: TestServiceResult })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  testCredentials(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: TestCredentialsRequest,
  ): Promise<TestServiceResult> {
    return this.tester.testCredentials(author, id, request);
  }

  @Post(':id/test')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send one real request with the stored credentials' })
  @ApiOkResponse({ type: TestServiceResult })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  test(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: TestServiceRequest,
  ): Promise<TestServiceResult> {
    return this.tester.test(author, id, request);
  }
}

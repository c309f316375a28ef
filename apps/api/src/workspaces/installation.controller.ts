import { Body, Controller, Delete, Get, Param, Put, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  Administrator,
  InstallationWorkspace,
  InstallationWorkspacePage,
  ListInstallationWorkspacesQuery,
  MessageResponse,
  UpdateInstallationWorkspaceRequest,
} from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { AdministratorGuard } from '../membership/administrator.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { Installation } from './installation.js';

@ApiTags('Installation')
@ApiBearerAuth()
@UseGuards(AdministratorGuard)
@Controller('admin')
export class InstallationController {
  constructor(private readonly installation: Installation) {}

  @Get('administrators')
  @ApiOperation({ summary: 'List the administrators of the installation' })
  @ApiOkResponse({ type: [Administrator] })
  @ApiErrors(401, 403)
  administrators(): Promise<Administrator[]> {
    return this.installation.administrators();
  }

  @Put('administrators/:userId')
  @ApiOperation({ summary: 'Make an account an administrator of the installation' })
  @ApiOkResponse({ type: Administrator })
  @ApiErrors(400, 401, 403, 404)
  name(
    @CurrentUser() user: AuthenticatedUser,
    @Param('userId', new IdPipe('userId')) userId: number,
    @Req() { requestId }: Request,
  ): Promise<Administrator> {
    return this.installation.name(user, userId, requestId);
  }

  @Delete('administrators/:userId')
  @ApiOperation({ summary: 'Remove a named administrator of the installation' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 403, 404, 409)
  async unname(
    @CurrentUser() user: AuthenticatedUser,
    @Param('userId', new IdPipe('userId')) userId: number,
    @Req() { requestId }: Request,
  ): Promise<MessageResponse> {
    await this.installation.unname(user, userId, requestId);
    return { message: 'Administrator removed' };
  }

  @Get('workspaces')
  @ApiOperation({
    summary: 'List the workspaces of the installation, and which may use the private targets of the operator',
  })
  @ApiOkResponse({ type: InstallationWorkspacePage })
  @ApiErrors(400, 401, 403)
  workspaces(@Query() query: ListInstallationWorkspacesQuery): Promise<InstallationWorkspacePage> {
    return this.installation.workspaces(query);
  }

  @Put('workspaces/:id')
  @ApiOperation({ summary: 'Allow a workspace to use the private targets of the operator, or forbid it' })
  @ApiOkResponse({ type: InstallationWorkspace })
  @ApiErrors(400, 401, 403, 404)
  allow(
    @CurrentUser() user: AuthenticatedUser,
    @Param('id', new IdPipe()) id: number,
    @Body() { privateTargets }: UpdateInstallationWorkspaceRequest,
    @Req() { requestId }: Request,
  ): Promise<InstallationWorkspace> {
    return this.installation.allowPrivateTargets(user, id, privateTargets, requestId);
  }
}

import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MeResponse, type TokenIdentity } from '#contracts';
import { AccountRegistry } from '../auth/accounts.js';
import { Administrators } from '../auth/administrators.js';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { Mailer } from '../platform/mailer.js';
import type { ActingMember } from './member.js';
import { Memberships } from './memberships.js';
import { PersonGuard } from './person.guard.js';

@ApiTags('Accounts')
@Controller('auth/me')
export class MeController {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly administrators: Administrators,
    private readonly memberships: Memberships,
    private readonly mailer: Mailer,
  ) {}

  /** It also tells a program whose token it has. */
  @Get()
  @UseGuards(PersonGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Get the person who is logged in, or whose personal access token this is' })
  @ApiOkResponse({ type: MeResponse })
  @ApiErrors(401, 404, 503)
  async me(@CurrentUser() person: AuthenticatedUser | ActingMember): Promise<MeResponse> {
    const [user, administersInstallation, token] = await Promise.all([
      this.accounts.find(person.id),
      this.administrators.include(person.id),
      'token' in person ? this.toTokenIdentity(person) : null,
    ]);
    return { user, administersInstallation, sendsMail: this.mailer.isConfigured, token };
  }

  private async toTokenIdentity({ token, role, workspaceId, expiresAt }: ActingMember): Promise<TokenIdentity | null> {
    if (token === null) return null;
    const workspace = { id: workspaceId, name: await this.memberships.readWorkspaceName(workspaceId) };
    return { name: token.name, role, workspace, expiresAt: expiresAt.toISOString() };
  }
}

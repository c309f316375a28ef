/**
 * Which person may do what in which workspace: the guard of every endpoint that works in a workspace. Depends on auth
 * and below. The endpoints that change members are in `workspaces/`, because a change is recorded.
 */
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { AccessTokens } from './access-tokens.js';
import { AdministratorGuard } from './administrator.guard.js';
import { MeController } from './me.controller.js';
import { MemberGuard } from './member.guard.js';
import { Memberships } from './memberships.js';
import { PersonGuard } from './person.guard.js';

const OWN = [AccessTokens, AdministratorGuard, JwtAuthGuard, MemberGuard, Memberships, PersonGuard];

@Module({
  imports: [AuthModule],
  controllers: [MeController],
  providers: OWN,
  exports: [AuthModule, ...OWN],
})
export class MembershipModule {}

import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { WebPushKey } from '#contracts';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { VapidKeys } from './vapid-keys.js';

@ApiTags('Channels')
@ApiBearerAuth()
@Controller('channels/webpush')
@UseGuards(MemberGuard)
export class WebPushController {
  constructor(private readonly keys: VapidKeys) {}

  @Get('key')
  @Requires('approver')
  @ApiOperation({ summary: 'Get the key that browsers need to subscribe to push messages' })
  @ApiOkResponse({ type: WebPushKey })
  @ApiErrors(401)
  async key(): Promise<WebPushKey> {
    return { publicKey: await this.keys.publicKey() };
  }
}

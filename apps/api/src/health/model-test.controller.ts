import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ModelTest } from '#contracts';
import { AdministratorGuard } from '../membership/administrator.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { ModelProbe } from '../risk/model-probe.js';

@ApiTags('Health')
@ApiBearerAuth()
@UseGuards(AdministratorGuard)
@Controller('admin/model')
export class ModelTestController {
  constructor(private readonly probe: ModelProbe) {}

  @Post('test')
  @HttpCode(200)
  @ApiOperation({ summary: 'Ask the model one real question' })
  @ApiOkResponse({ type: ModelTest })
  @ApiErrors(401, 403, 503)
  test(): Promise<ModelTest> {
    return this.probe.test();
  }
}

import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PublicRoute } from '../auth/public-route.js';
import { MetricsPage } from '../observability/metrics-page.js';
import { MetricsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';

/** For Prometheus. It is there with `METRICS_TOKEN`, which it asks for, unless metrics have a port of their own. */
@ApiTags('Health')
@PublicRoute()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly page: MetricsPage,
    private readonly config: MetricsConfig,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get the metrics of this process for Prometheus. The bearer token is METRICS_TOKEN; 404 without it',
  })
  @ApiOkResponse({ description: 'Text format 0.0.4', content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiErrors(401, 404, 503)
  async metrics(@Req() request: Request, @Res() response: Response): Promise<void> {
    const isHere = this.config.token !== null && this.config.port === null;
    if (!isHere) throw errors.unknownPath(request.method, request.path);
    this.page.assertAllowed(request.headers.authorization);
    response.type(this.page.contentType).send(await this.page.text());
  }
}

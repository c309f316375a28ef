import { Controller, Get, Put, Query, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Configuration, ImportConfigurationQuery, ImportResult } from '#contracts';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { ConfigurationExport } from './configuration-export.js';
import { ConfigurationImport } from './configuration-import.js';

const YAML = 'application/yaml';
const ID = { name: 'id', schema: { type: 'integer' } } as const;

@ApiTags('Workspaces')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('workspaces/:id')
export class ConfigurationController {
  constructor(
    private readonly exports: ConfigurationExport,
    private readonly imports: ConfigurationImport,
  ) {}

  @Get('export')
  @Requires('admin', { inPath: true })
  @ApiParam(ID)
  @ApiOperation({ summary: 'Download the configuration of a workspace, without secrets' })
  @ApiOkResponse({ content: { [YAML]: { schema: { type: 'string' } } } })
  @ApiErrors(401, 409)
  async export(@CurrentMember() { workspaceId }: ActingMember, @Res() response: Response): Promise<void> {
    const yaml = await this.exports.yaml(workspaceId);
    response.setHeader('Content-Type', `${YAML}; charset=utf-8`);
    response.setHeader('Content-Disposition', `attachment; filename="agent-gateway-${workspaceId}.yaml"`);
    response.send(yaml);
  }

  @Put('import')
  @Requires('admin', { inPath: true })
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Make the configuration of a workspace equal to a file, in one transaction',
    description: 'A list that is missing stays as it is; one that is given is complete. Unknown fields are refused.',
  })
  @ApiExtraModels(Configuration)
  @ApiConsumes('application/json', YAML)
  @ApiBody({ required: true, schema: { $ref: getSchemaPath(Configuration) } })
  @ApiOkResponse({ type: ImportResult })
  @ApiErrors(401, 409, 413, 415)
  import(
    @Author() author: ChangeAuthor,
    @Query() { dryRun, digest }: ImportConfigurationQuery,
    @Req() { body }: Request,
  ): Promise<ImportResult> {
    return this.imports.apply(author, body as object, { dryRun: dryRun === 'true', digest });
  }
}

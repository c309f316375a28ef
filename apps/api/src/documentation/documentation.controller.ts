import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CreateDocumentRequest,
  DocumentedOperation,
  DocumentSummary,
  ListOperationsQuery,
  MessageResponse,
  ServiceDocument,
  UpdateDocumentRequest,
} from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { BodyInUse } from '../platform/http/body-in-use.js';
import { IdPipe } from '../platform/http/validation.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { DocumentationRegistry } from './documentation-registry.js';

@ApiTags('Documentation')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@UseInterceptors(BodyInUse)
@Controller('services/:id')
export class DocumentationController {
  constructor(private readonly documentation: DocumentationRegistry) {}

  @Get('documentation')
  @Requires('auditor')
  @ApiOperation({ summary: 'List the documents of a service, without their content' })
  @ApiOkResponse({ type: [DocumentSummary] })
  @ApiErrors(400, 401, 404, 500, 503)
  list(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<DocumentSummary[]> {
    return this.documentation.list(member.workspaceId, id);
  }

  @Post('documentation')
  @Requires('admin')
  @ApiOperation({ summary: 'Attach a document' })
  @ApiCreatedResponse({ type: DocumentSummary })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  create(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: CreateDocumentRequest,
  ): Promise<DocumentSummary> {
    return this.documentation.create(author, id, request);
  }

  @Get('documentation/:docId')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get a document with its content' })
  @ApiOkResponse({ type: ServiceDocument })
  @ApiErrors(400, 401, 404, 500, 503)
  get(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Param('docId', new IdPipe('docId')) docId: number,
  ): Promise<ServiceDocument> {
    return this.documentation.get(member.workspaceId, id, docId);
  }

  @Put('documentation/:docId')
  @Requires('admin')
  @ApiOperation({ summary: 'Change a document' })
  @ApiOkResponse({ type: DocumentSummary })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  update(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('docId', new IdPipe('docId')) docId: number,
    @Body() request: UpdateDocumentRequest,
  ): Promise<DocumentSummary> {
    return this.documentation.update(author, id, docId, request);
  }

  @Delete('documentation/:docId')
  @Requires('admin')
  @ApiOperation({ summary: 'Delete a document' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async delete(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('docId', new IdPipe('docId')) docId: number,
  ): Promise<MessageResponse> {
    await this.documentation.delete(author, id, docId);
    return { message: 'Document deleted' };
  }

  @Get('operations')
  @Requires('auditor')
  @ApiOperation({ summary: 'List the operations that the documents of a service describe' })
  @ApiOkResponse({ type: [DocumentedOperation] })
  @ApiErrors(400, 401, 404, 500, 503)
  operations(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Query() { include }: ListOperationsQuery,
  ): Promise<DocumentedOperation[]> {
    return this.documentation.operations(member.workspaceId, id, include === 'fields');
  }
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MaxLength, MinLength } from 'class-validator';
import { Choice, Text } from './fields.js';
import { DOCUMENTATION_BODY_MAX_BYTES, DOCUMENT_TITLE_MAX } from './limits.js';
import { DOCUMENT_TYPES, type DocumentType } from './states.js';
import { AtLeastOneOf } from './validation.js';

export class CreateDocumentRequest {
  @Choice(DOCUMENT_TYPES, { name: 'DocumentType' })
  type: DocumentType;

  @Text({ min: 1, max: DOCUMENT_TITLE_MAX })
  title: string;

  /**
   * For type `openapi`: valid JSON or YAML. For type `mcp`: JSON `{"tools": [{"name", "description"?, "inputSchema"?,
   * "annotations"?}]}`, as `tools/list` of an MCP server answers. Otherwise the response is a 400 that says where parsing
   * failed.
   */
  @Text()
  @MinLength(1)
  @MaxLength(DOCUMENTATION_BODY_MAX_BYTES)
  content: string;
}

export class UpdateDocumentRequest {
  @AtLeastOneOf(['type', 'title', 'content'])
  @Choice(DOCUMENT_TYPES, { optional: true, name: 'DocumentType' })
  type?: DocumentType;

  @Text({ optional: true, min: 1, max: DOCUMENT_TITLE_MAX })
  title?: string;

  @Text({ optional: true })
  @MinLength(1)
  @MaxLength(DOCUMENTATION_BODY_MAX_BYTES)
  content?: string;
}

/** A part of an OpenAPI document that says something which the gateway does not use. */
export class IgnoredPart {
  /** A JSON pointer into the document, cut to 200 characters. */
  @ApiProperty({ example: '#/paths/~1orders/trace' })
  where: string;

  @ApiProperty({ example: 'is not a method that agents can use' })
  why: string;
}

/** A document without its content, as it appears in lists and in the answers to changes. */
export class DocumentSummary {
  @ApiProperty()
  id: number;

  @ApiProperty({ enum: DOCUMENT_TYPES, enumName: 'DocumentType' })
  type: DocumentType;

  @ApiProperty()
  title: string;

  /** Size of the content in bytes (UTF-8). */
  @ApiProperty()
  sizeBytes: number;

  /** Number of operations in an `openapi` document, or of tools in an `mcp` one; 0 for other types. */
  @ApiProperty()
  operationCount: number;

  /** The first 100 parts of an `openapi` document that are not used. */
  @ApiProperty({ type: [IgnoredPart] })
  ignored: IgnoredPart[];

  /** Number of all these parts. Null if an older version stored the document: send it again to learn it. */
  @ApiProperty({ type: 'integer', nullable: true })
  ignoredCount: number | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class ServiceDocument extends DocumentSummary {
  @ApiProperty()
  content: string;
}

const OPERATION_PARTS = ['fields'] as const;

export class ListOperationsQuery {
  /** `fields`: also the names of what a request can have. A large API has many. */
  @Choice(OPERATION_PARTS, { optional: true })
  include?: (typeof OPERATION_PARTS)[number];
}

/** One operation of a service's OpenAPI documents, or one tool of its `mcp` documents. */
export class DocumentedOperation {
  @ApiProperty()
  documentId: number;

  @ApiProperty()
  method: string;

  /** The path as the document states it, with its `{parameters}`. Empty for a tool. */
  @ApiProperty({ example: '/customers/{id}' })
  path: string;

  /** The name of a tool. */
  @ApiProperty({ nullable: true, type: String })
  operationId: string | null;

  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  /** With `include=fields`: the names of the query parameters. */
  @ApiPropertyOptional({ type: [String] })
  queryParameters?: string[];

  /** With `include=fields`: the names of the body's fields at its top level, or of a tool's arguments. */
  @ApiPropertyOptional({ type: [String] })
  fields?: string[];

  /** With `include=fields`. */
  @ApiPropertyOptional({ type: [String] })
  tags?: string[];

  /**
   * With `include=fields`: the `pathPattern` of a rule about the operation. Null: no pattern is about it alone, because it
   * is a tool, or is told apart by its query.
   */
  @ApiPropertyOptional({ type: String, nullable: true, example: '/customers/*' })
  pathPattern?: string | null;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The body of every error (docs/reference/http.md#errors). */
export class ErrorBody {
  /** What went wrong and, if the caller can fix it, what to do. Never contains a stack trace, SQL or a secret. */
  @ApiProperty({ example: 'Invalid Agent-Key' })
  error: string;

  /** Only under `/s/<service>`: the same text, in the field that SDKs read. */
  @ApiPropertyOptional()
  message?: string;

  /** Only under `/s/<service>`: the same text, for SDKs that take `error` for a code of OAuth, as Stripe's does. */
  @ApiPropertyOptional()
  error_description?: string;

  /** The HTTP status, for clients that see only the body. */
  @ApiProperty({ example: 401 })
  statusCode: number;

  /** What to do now, in one sentence. Only some errors have it. */
  @ApiPropertyOptional({ example: 'Fix the JSON: expected "," or "}" at line 1, column 9 (position 8)' })
  next?: string;
}

/** A confirmation that carries no data. */
export class MessageResponse {
  @ApiProperty()
  message: string;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The body of every error, from anywhere (spec "Errors"). */
export class ErrorBody {
  /** What went wrong, and where the caller can act on it, what to do. Never a stack trace, SQL or a secret. */
  @ApiProperty({ example: 'Invalid Agent-Key' })
  error: string;

  /** Below `/s/<service>` only: the same text again, where SDKs look for it. */
  @ApiPropertyOptional()
  message?: string;

  /** The HTTP status again, for clients that see only the body. */
  @ApiProperty({ example: 401 })
  statusCode: number;

  /** Where it helps: what to do now, in one sentence. */
  @ApiPropertyOptional({ example: 'Mend the JSON: expected "," or "}" at line 1, column 9 (position 8)' })
  next?: string;
}

/** A confirmation without data. */
export class MessageResponse {
  @ApiProperty()
  message: string;
}

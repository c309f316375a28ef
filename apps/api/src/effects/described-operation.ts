/** What a document says about the operation that a request calls. */
export interface DescribedOperation {
  /** The `operationId`, or the name of a tool. */
  id: string | null;
  method: string;
  /** The path with its `{parameters}`. */
  path: string;
  summary: string;
  tags: readonly string[];
  deprecated: boolean;
  /** The names of the documented query parameters. */
  queryParameters: readonly string[];
  /** The names of the documented fields at the top of the body. */
  fields: readonly string[];
  /** Of a tool. */
  annotations: ToolAnnotations | null;
}

/** What a tool says about itself. It can raise what the gateway says, and not lower it. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

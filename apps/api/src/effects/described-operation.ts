/** What an MCP server says about its tool. All of it is a claim of the server. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What is known of a documented operation. */
export interface DescribedOperation {
  /** The `operationId`, or the name of an MCP tool. */
  id: string | null;
  method: string;
  /** The template, with its `{parameters}`; empty for a tool. */
  path: string;
  summary: string;
  tags: readonly string[];
  deprecated: boolean;
  queryParameters: readonly string[];
  /** The names of the body's fields at the top level, or of a tool's arguments. */
  fields: readonly string[];
  annotations: ToolAnnotations | null;
  /**
   * Whether its id and its summary may say that it only reads. Not if the summary is taken from the description, because
   * prose lowers nothing, nor if the template fits by a guess.
   */
  mayLower: boolean;
}

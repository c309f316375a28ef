import type { ExceptionCondition, HttpMethod } from '#contracts';

/** What an exception that is made from a held request can be about. */
export interface ExceptionScope {
  method: HttpMethod;
  agentId: number;
  /** That of the service, below which the patterns are. */
  baseUrl: string;
  /** The patterns to choose from: the first one is the narrowest. */
  pathPatterns: readonly string[];
  conditions: readonly ExceptionCondition[];
  /** The rules that match the request. */
  ruleIds: readonly number[];
}

/** Reads held requests. `approvals` has them, and is above rules. */
export abstract class ExceptionScopes {
  /**
   * @returns null if nothing similar can be told by the path and the values of the request
   * @throws ApiError 404 if the service has no such action
   */
  abstract of(workspaceId: number, serviceId: number, actionId: string): Promise<ExceptionScope | null>;
}

import type { HttpMethod } from '#contracts';
import type { GraphqlCalls } from '../request-reading/graphql-calls.js';
import type { RequestContent } from '../request-reading/request-content.js';
import type { RpcFacts } from '../request-reading/rpc-calls.js';
import type { DescribedOperation } from './described-operation.js';

/** What the classification knows of a request. It has no intent, and no text that only people read. */
export interface EffectSubject {
  /** `requestMethods`: the most dangerous first. */
  methods: readonly HttpMethod[];
  /** The host of the service, which decides how AWS reads a request. */
  host: string;
  /** The path below the base URL, in each way in which servers may read it. */
  paths: readonly string[];
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  content: RequestContent;
  /** As it was sent, for a content that can't be read. */
  body: string | null;
  graphql: GraphqlCalls | null;
  rpc: RpcFacts | 'undecidable' | null;
  operation: DescribedOperation | null;
  /** The tools of an MCP server by name. Null: no list is known. */
  tools: KnownTools | null;
}

export type KnownTools = ReadonlyMap<string, DescribedOperation>;

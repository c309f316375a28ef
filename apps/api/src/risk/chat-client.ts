import OpenAI, { type ClientOptions } from 'openai';

/** A request for a chat completion, ready to be sent. */
export interface ChatRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The deadline for all attempts of one call together, on the monotonic clock. */
  deadlineMs: number;
}

type BuildRequest = OpenAI['buildRequest'];
type FetchWithTimeout = OpenAI['fetchWithTimeout'];

const NONE = new Headers();

/**
 * The OpenAI client, reduced to one endpoint and without its retries and timers. URL and headers are the same for every call, so they
 * are created once, and `send` replaces fetch. Unchanged, the client creates five `Headers` objects, a timer and a response stream for
 * each call. With them, 1,000 GETs that need a verdict took 0.42 s of CPU instead of 0.34 s.
 */
export class ChatClient extends OpenAI {
  private endpoint: Omit<ChatRequest, 'body' | 'deadlineMs'> | null = null;

  constructor(
    options: ClientOptions,
    private readonly send: (request: ChatRequest) => Promise<Response>,
  ) {
    super(options);
  }

  override async buildRequest(...[options, retry]: Parameters<BuildRequest>): ReturnType<BuildRequest> {
    if (this.endpoint === null) {
      const { req, url } = await super.buildRequest(options, retry);
      const { pathname, search } = new URL(url);
      const headers: Record<string, string> = {};
      req.headers.forEach((value, name) => {
        // Leaves out the headers in which the library describes this machine.
        if (!name.startsWith('x-stainless-')) headers[name] = value;
      });
      this.endpoint = { path: pathname + search, headers };
    }
    const req = { method: 'post', headers: NONE, body: JSON.stringify(options.body), ...options.fetchOptions };
    return { req, url: this.endpoint.path, timeout: this.timeout };
  }

  override fetchWithTimeout(...[, init]: Parameters<FetchWithTimeout>): ReturnType<FetchWithTimeout> {
    const { body, deadlineMs } = init as unknown as Pick<ChatRequest, 'body' | 'deadlineMs'>;
    return this.send({ ...this.endpoint!, body, deadlineMs });
  }
}

/** A response whose body is already in memory. The standard class would wrap the body in a stream and read it back. */
export class WholeResponse extends Response {
  constructor(body: Buffer, init: ResponseInit) {
    super(null, init);
    this.text = () => Promise.resolve(body.toString());
    this.json = async () => JSON.parse(await this.text()) as unknown;
  }

  override text: Response['text'];
  override json: Response['json'];
}

/**
 * A response whose body has arrived. The standard class makes a web stream of the body and reads it back. As there, a
 * body that is not JSON makes `json()` reject.
 */
export class ReadResponse extends Response {
  constructor(
    private readonly received: Buffer,
    init: ResponseInit,
  ) {
    super(null, init);
  }

  override readonly text = (): Promise<string> => Promise.resolve(this.received.toString());

  override readonly json = async (): Promise<unknown> => JSON.parse(await this.text()) as unknown;
}

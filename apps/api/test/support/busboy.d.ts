/** The part of busboy 1.6 that tests use, as one of the readers of forms. */
declare module 'busboy' {
  import type { Readable, Writable } from 'node:stream';

  interface Settings {
    headers: Record<string, string>;
    defParamCharset: string;
    preservePath: boolean;
  }

  interface Reader extends Writable {
    on(event: 'field', listener: (name: string, text: string, info: { mimeType: string }) => void): this;
    on(
      event: 'file',
      listener: (name: string, content: Readable, info: { filename?: string; mimeType: string }) => void,
    ): this;
    on(event: 'close', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
  }

  export default function busboy(settings: Settings): Reader;
}

import { redactedCurl } from './curl.js';

describe('redactedCurl', () => {
  it('redacts injected and sensitive headers and escapes quotes', () => {
    expect(
      redactedCurl(
        {
          method: 'POST',
          targetUrl: "https://x.test/a?b='",
          headers: { Accept: '*/*', 'X-Token': 's3cret' },
          body: "it's",
        },
        ['Authorization'],
      ),
    ).toBe(
      [
        `curl -X POST 'https://x.test/a?b='\\'''`,
        `-H 'Accept: */*'`,
        `-H 'X-Token: ••••'`,
        `-H 'Authorization: ••••'`,
        `--data-raw 'it'\\''s'`,
      ].join(' \\\n  '),
    );
  });
});

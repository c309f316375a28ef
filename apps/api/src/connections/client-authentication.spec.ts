import fc from 'fast-check';
import type { OAuthSettings } from '#contracts';
import { clientAuthentications } from './client-authentication.js';

/** The pairs that the ways to authenticate send, in their order. */
async function pairs(clientId: string, secret: string): Promise<string[]> {
  const settings = { clientId, tokenAuth: 'basic' } as OAuthSettings;
  const sent: string[] = [];
  for (const way of clientAuthentications(settings, secret)) {
    const headers = new Headers();
    await way({ issuer: 'https://p.example' }, { client_id: clientId }, new URLSearchParams(), headers);
    sent.push(Buffer.from(headers.get('authorization')!.replace('Basic ', ''), 'base64').toString());
  }
  return sent;
}

it('encodes what must be encoded, and then tries the plain form', async () => {
  expect(await pairs('a b', 's+/=:1234')).toEqual(['a%20b:s%2B%2F%3D%3A1234', 'a b:s+/=:1234']);
});

it('has one form for a client that needs no encoding', async () => {
  const id = '6f1c2e9a-7b1d-4a53-9a46-0d8f3f1c5e7b';
  expect(await pairs(id, 'Ab_c-dEf.0123')).toEqual([`${id}:Ab_c-dEf.0123`]);
});

it('has no plain form for an id with a colon, because it would name another client', async () => {
  expect(await pairs('a:b', 'c')).toEqual(['a%3Ab:c']);
});

it('sends a pair that providers read the same way by form decoding and by percent-decoding', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (id, secret) => {
      const [encoded] = await pairs(id, secret);
      const at = encoded.indexOf(':');
      const halves = [encoded.slice(0, at), encoded.slice(at + 1)];
      expect(halves.map(decodeURIComponent)).toEqual([id, secret].map((text) => text.toWellFormed()));
      const form = halves.map((half) => new URLSearchParams(`x=${half}`).get('x'));
      expect(form).toEqual([id, secret].map((text) => text.toWellFormed()));
    }),
  );
});

import { toSite } from './relying-party.js';

describe('toSite', () => {
  it.each([
    ['https://gateway.example.com', { id: 'gateway.example.com', origin: 'https://gateway.example.com' }],
    [
      'https://Gateway.example.com:8443/below',
      { id: 'gateway.example.com', origin: 'https://gateway.example.com:8443' },
    ],
    ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
    ['http://agw.localhost', { id: 'agw.localhost', origin: 'http://agw.localhost' }],
    ['http://gateway.example.com', null],
    ['http://127.0.0.1:3000', null],
    ['https://203.0.113.9', null],
    ['https://[2001:db8::1]', null],
    [null, null],
  ])('of %s is %j', (url, site) => {
    expect(toSite(url)).toEqual(site);
  });
});

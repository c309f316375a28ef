import { requestMethods } from './request-methods.js';

const methods = (body: string, type: string, query = '') =>
  requestMethods({
    method: 'POST',
    targetUrl: `https://api.example.com/x${query}`,
    headers: { 'Content-Type': type },
    body,
  });
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

describe('requestMethods', () => {
  it.each([
    ['blanks before the name', `${'+'.repeat(100)}_method=DELETE`],
    ['encoded blanks before the name', `a=b&${'%20'.repeat(100)}_method=DELETE`],
    ['a NUL and more after the name', `_method%00${'a'.repeat(100)}=DELETE`],
    ['blanks before the value', `_method=${'+'.repeat(100)}DELETE`],
  ])('finds a field with %s, as PHP does', (_what, form) => {
    expect(methods(form, FORM)).toEqual(['DELETE', 'POST']);
    expect(methods('', 'text/plain', `?${form}`)).toEqual(['DELETE', 'POST']);
  });

  // Each took minutes, or the memory of the process, when the time grew with the square of the size.
  it.each<[string, string, string]>([
    ['blanks after a name', `content-disposition: form-data; name=${' '.repeat(2_000_000)}`, MULTIPART],
    ['blanks after a quote', `content-disposition: form-data; name="${' '.repeat(2_000_000)}`, MULTIPART],
    ['folded lines', `content-disposition: form-data${'\n '.repeat(1_000_000)}`, MULTIPART],
    ['fields', `%${'a=&'.repeat(1_000_000)}`, FORM],
    ['encoded blanks for a name', '%20'.repeat(1_000_000), FORM],
    ['blanks for a name', `%${'+'.repeat(2_000_000)}`, FORM],
    ['blanks for names', `%${'+&'.repeat(1_000_000)}`, FORM],
  ])('reads megabytes of %s in time that grows with their size', (_what, body, type) => {
    expect(methods(body, type)).toEqual(['POST']);
  });

  it('treats a form with very many parts of that name as the most dangerous method', () => {
    const part = '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nGET\r\n';
    expect(methods(part, MULTIPART)).toEqual(['POST', 'GET']);
    expect(methods(part.repeat(50_000), MULTIPART)).toEqual(['DELETE', 'POST', 'GET']);
  });
});

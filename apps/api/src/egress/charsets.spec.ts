import { isReadOtherwise } from './charsets.js';

it.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset="utf8"; x=1',
  'application/json;charset=iso-8859-1',
  'application/json; charset=utf-16le',
  'application/json; charset=euc-jp',
  'application/x-www-form-urlencoded; charset=shift_jis',
  'application/x-www-form-urlencoded; charset=gb2312',
  'text/xml; charset=gbk',
  'text/csv; charset=ibm037',
  'application/octet-stream; charset=binary',
  'charset=',
])('servers read a body of type %s as the gateway reads it', (type) => {
  expect(isReadOtherwise(type)).toBe(false);
});

it.each([
  'application/json; charset=utf-7',
  'application/vnd.api+json; charset=shift_jis',
  'application/json; charset=gb18030',
  'application/json; charset=big5',
  'application/json; charset=utf-8; charset=ibm037',
  'application/json; xcharset=iso-2022-jp',
  'application/x-www-form-urlencoded; charset=cp500',
  'text/xml; charset=ebcdic-us',
  'text/plain; charset=utf-7',
  'json; charset=gbk',
])('a server may read a body of type %s differently from the gateway', (type) => {
  expect(isReadOtherwise(type)).toBe(true);
});

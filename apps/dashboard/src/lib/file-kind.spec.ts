import fc from 'fast-check';
import { fileKind } from './file-kind.js';

const bytesOf = (...parts: (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...part].map((each) => each.charCodeAt(0)) : part)),
  );

const PNG_START = '\x89PNG\r\n\x1a\n';
const IHDR = ['\0\0\0\x0dIHDR', [0, 0, 1, 2, 0, 0, 0, 3], '12345CRC '] as const;
const IDAT = '\0\0\0\x04IDAT1234CRC ';
const IEND = '\0\0\0\0IENDCRC ';
const JPEG_START = [0xff, 0xd8];
const FRAME = [0xff, 0xc2, 0, 17, 8, 0, 3, 1, 2, 3];
const END = [0xff, 0xd9];
const GIF_START = ['GIF89a', [2, 1, 3, 0, 0x80, 0, 0], '123456'] as const;
const gifFrame = (width: number, height: number) => [
  0x2c,
  0,
  0,
  0,
  0,
  width & 255,
  width >> 8,
  height,
  0,
  0,
  2,
  1,
  0,
  0,
];
const WEBP_START = ['RIFF', [22, 0, 0, 0], 'WEBP'] as const;

const PNG = bytesOf(PNG_START, ...IHDR, IDAT, IEND);
const JPEG = bytesOf(JPEG_START, [0xff, 0xe0, 0, 4, 1, 2], [0xff, 0xc4, 0, 3, 1], FRAME, END);
const GIF = bytesOf(...GIF_START, [0x21, 0xf9, 1, 0, 0], gifFrame(258, 3), [0x3b]);
const WEBP = bytesOf(...WEBP_START, 'VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 2, 0, 0]);

const sizeOf = (bytes: Uint8Array) => {
  const file = fileKind(bytes, '');
  return file?.kind === 'image' ? file.size : undefined;
};

describe('what bytes are opened as', () => {
  it.each([
    ['png', PNG],
    ['jpeg', JPEG],
    ['gif', GIF],
    ['webp', WEBP],
    ['webp', bytesOf(...WEBP_START, 'VP8L', [10, 0, 0, 0, 0x2f, 0x01, 0x81, 0, 0, 0, 0, 0, 0, 0])],
    ['webp', bytesOf(...WEBP_START, 'VP8 ', [10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 2, 1, 3, 0])],
  ])('is an image if it begins as one, whatever its type says: %s', (type, bytes) => {
    expect(fileKind(bytes, 'text/html; charset=iso-8859-1')).toEqual({ kind: 'image', type, size: [258, 3] });
  });

  it.each([
    ['a text', bytesOf([0xff, 0xfe], '<svg onload="alert(1)">')],
    ['an image behind a space', bytesOf(' ', PNG_START, ...IHDR, IDAT, IEND)],
    ['nothing', bytesOf()],
  ])('is not an image only because its type says so: %s', (_what, bytes) => {
    expect(fileKind(bytes, 'image/png')).toBeNull();
  });

  it.each([
    ['another first chunk', bytesOf(PNG_START, '\0\0\0\x04CgBI1234CRC ', ...IHDR, IDAT, IEND)],
    ['an animated PNG', bytesOf(PNG_START, ...IHDR, '\0\0\0\x08acTL12345678CRC ', IDAT, IEND)],
    ['fill bytes, which a browser skips', bytesOf(JPEG_START, [0xff, 0xff], FRAME, END)],
    ['a marker without a length', bytesOf(JPEG_START, [0xff, 0x01], FRAME, END)],
    ['a segment that is too short', bytesOf(JPEG_START, [0xff, 0xe0, 0, 0], FRAME, END)],
    ['bytes between segments', bytesOf(JPEG_START, [0xff, 0xe0, 0, 2, 0], FRAME, END)],
    ['a frame that is larger than its GIF', bytesOf(...GIF_START, gifFrame(259, 3), [0x3b])],
    ['a GIF with two frames', bytesOf(...GIF_START, gifFrame(1, 1), gifFrame(1, 1), [0x3b])],
    ['a GIF without a frame', bytesOf(...GIF_START, [0x3b])],
    ['an unknown block of a GIF', bytesOf(...GIF_START, [0], gifFrame(1, 1), [0x3b])],
    ['an animated WebP', bytesOf(...WEBP_START, 'VP8X', [10, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 2, 0, 0])],
    ['an unknown WebP', bytesOf(...WEBP_START, 'VP9 ', [10, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 2, 0, 0])],
  ])('finds no size where there are several, or a browser could find another: %s', (_what, bytes) => {
    expect(sizeOf(bytes)).toBeNull();
  });

  it.each([
    ['png', PNG],
    ['jpeg', JPEG],
    ['gif', GIF],
    ['webp', WEBP],
  ])('finds no size in an image that is cut off: %s', (_type, bytes) => {
    // Nobody reads the check sum at the end of a PNG.
    const ends = Array.from({ length: bytes.length - (bytes === PNG ? 8 : 0) }, (_, end) => end);
    for (const end of ends.slice(12)) expect(sizeOf(bytes.slice(0, end))).toBeNull();
  });

  it('is a PDF by its first bytes', () => {
    expect(fileKind(bytesOf('%PDF-1.7', [0xff]), 'image/png')).toEqual({ kind: 'pdf' });
  });

  it('is a text in the one charset of the type', () => {
    const latin = bytesOf('caf', [0xe9]);
    for (const type of ['text/plain; charset="ISO-8859-1"', 'text/html;x=1;CHARSET=latin1 ; y=2'])
      expect(fileKind(latin, type)).toEqual({ kind: 'text', text: 'café', charset: 'windows-1252' });
    expect(fileKind(bytesOf([0xff, 0xfe, 0, 0]), 'text/plain; charset=UTF-16LE')).toEqual({
      kind: 'text',
      text: '\ufeff\0',
      charset: 'utf-16le',
    });
  });

  it.each([
    'text/plain',
    'text/plain; charset=none-such',
    'text/plain; charset=utf-8',
    'text/plain; charset=utf-7',
    'text/plain; charset=utf-16',
    'text/plain; charset=iso-2022-kr',
    'text/plain; charset=latin1; charset=koi8-r',
    'text/plain; x="; charset=latin1"; charset=koi8-r',
    'text/plain; charset=latin1 koi8-r',
  ])('is no text if the charset is unknown, not that of the bytes, or not clear: %s', (type) => {
    expect(fileKind(bytesOf('caf', [0xe9, 0xff, 0x80]), type)?.kind ?? null).toBeNull();
  });

  it('never fails', () => {
    const starts = fc.constantFrom(PNG, GIF, JPEG, WEBP, bytesOf());
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 40 }), fc.nat(60), fc.string(), (start, rest, end, type) => {
        const file = fileKind(Uint8Array.from([...start.slice(0, end), ...rest]), type);
        const sides = file?.kind === 'image' ? (file.size ?? []) : [];
        expect(sides.every((side) => Number.isInteger(side) && side >= 0)).toBe(true);
      }),
    );
  });
});

/** The images that the dashboard opens. */
export type ImageType = 'png' | 'jpeg' | 'gif' | 'webp';

type Size = [width: number, height: number];

/**
 * Width and height of an image, from its header.
 * @returns null if it has several frames, is cut off (browsers show a part of it), or if a browser could find another
 * size: it skips what is wrong, and reads on
 */
export function imageSize(bytes: Uint8Array, type: ImageType): Size | null {
  try {
    return SIZES[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    // It is cut off.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const SIZES: Record<ImageType, (view: DataView) => Size | null> = {
  png: pngSize,
  jpeg: jpegSize,
  gif: gifSize,
  webp: webpSize,
};

const IHDR = 0x49484452;
const IEND = 0x49454e44;
/** Begins the control of an animation. */
const ACTL = 0x6163544c;

function pngSize(view: DataView): Size | null {
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== IHDR) return null;
  for (let at = 8; view.getUint32(at + 4) !== IEND; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === ACTL) return null;
  }
  return [view.getUint32(16), view.getUint32(20)];
}

/** The segment that starts a frame has the size. Only tables, comments and data of applications may come before it. */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc2)
      return endsAfter(view, at) ? [view.getUint16(at + 7), view.getUint16(at + 5)] : null;
    const isKnown = [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);
    if (!isKnown || view.getUint16(at + 2) < 2) return null;
  }
  return null;
}

/** Whether the marker of the end of a JPEG comes after `at`. */
function endsAfter(view: DataView, at: number): boolean {
  while (view.getUint16(at) !== 0xffd9) at += 1;
  return true;
}

/** Reads to the end, because each frame has a size of its own. Browsers enlarge an image to its first frame. */
function gifSize(view: DataView): Size | null {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  let frames = 0;
  for (let at = 13 + colours(view, 10); view.getUint8(at) !== 0x3b;) {
    if (view.getUint8(at) === 0x2c) {
      const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
      const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
      frames += 1;
      if (right > width || bottom > height || frames > 1) return null;
      at += 11 + colours(view, at + 9);
    } else if (view.getUint8(at) === 0x21) at += 2;
    else return null;
    while (view.getUint8(at) > 0) at += 1 + view.getUint8(at);
    at += 1;
  }
  return frames === 1 ? [width, height] : null;
}

/** The size of a table of colours, if these flags say that there is one. */
function colours(view: DataView, at: number): number {
  const flags = view.getUint8(at);
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function webpSize(view: DataView): Size | null {
  if (view.getUint32(4, true) + 8 > view.byteLength) return null;
  switch (view.getUint32(12)) {
    // "VP8 "
    case 0x56503820:
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    // "VP8L": 14 bits each
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    // "VP8X": 24 bits each. The second flag is that of an animation.
    case 0x56503858:
      if (view.getUint8(20) & 2) return null;
      return [(view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1];
  }
  return null;
}

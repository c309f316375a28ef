import { number } from '../../lib/format.js';

/** The texts about bytes that are no text. Few bodies need them. */
export const bytesMessages = {
  image: (type: string, width: number, height: number) =>
    `${type === 'webp' ? 'WebP' : type.toUpperCase()} image, ${number(width)} × ${number(height)} pixels`,
  show: { image: 'Show the image', text: 'Show the text' },
  fullSize: 'Full size',
  fit: 'Fit',
  alt: 'The image in the body',
  notOpened: 'This image is not opened: it is damaged, has several frames, or has more than 25 million pixels.',
  broken: 'The browser cannot show this image.',
  moreInside: 'Only the picture is shown. The file can contain more than that.',
  pdf: 'A PDF is not opened here. Download it, and open it in a program that you trust.',
  download: 'Download the PDF',
  text: (charset: string) => `Text in the charset ${charset}`,
  showHex: 'Show the bytes',
} as const;

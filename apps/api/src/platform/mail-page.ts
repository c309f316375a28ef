import { escapeHtml } from './plain-text.js';

/**
 * The HTML of a mail. It has no images, no colours, and no styles that a dark scheme could break.
 * @param blocks HTML. Texts in it are escaped
 */
export const mailPage = (title: string, blocks: string[], foot: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(title)}</title></head>
<body style="font-family: sans-serif; font-size: 16px; line-height: 1.5">${blocks.join('\n')}
<p><small>${escapeHtml(foot)}</small></p></body></html>`;

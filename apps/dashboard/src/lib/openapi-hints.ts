/** Reads name and base URL from an OpenAPI document in JSON or YAML, to prefill a form. It is not a full parser. */
interface OpenApiHints {
  name: string | null;
  baseUrl: string | null;
}

export function openApiHints(content: string): OpenApiHints {
  try {
    const document = JSON.parse(content) as { info?: { title?: unknown }; servers?: { url?: unknown }[] };
    return { name: text(document.info?.title), baseUrl: absolute(text(document.servers?.[0]?.url)) };
  } catch {
    const title = /^info:[^\S\n]*\n(?:[^\S\n]+.*\n)*?[^\S\n]+title:[^\S\n]*(.+)$/m.exec(content)?.[1];
    const url = /^servers:[^\S\n]*\n[^\S\n]*-[^\S\n]+url:[^\S\n]*(\S+)/m.exec(content)?.[1];
    return { name: title ? unquote(title) : null, baseUrl: absolute(url ? unquote(url) : null) };
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const unquote = (value: string): string => value.trim().replace(/^(['"])(.*)\1$/, '$2');

/** Relative and templated server URLs are useless as a base URL. */
const absolute = (url: string | null): string | null =>
  url && /^https?:\/\/[^{}]+$/.test(url) ? url.replace(/\/$/, '') : null;

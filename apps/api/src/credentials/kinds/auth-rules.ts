import { AUTH_TEMPLATE_MAX, AUTH_TEMPLATES_MAX, CREDENTIAL_NAME_MAX } from '#contracts/limits';
import type { AuthSettings } from '#contracts/service-auth';
import { isValidHeaderValue } from '#egress';
import { errors } from '../../platform/errors.js';
import { headerNameFault } from './header-value.js';
import type { Authentication } from '../../service-view/service-view.js';
import { findTemplateKeys, templateFault } from './template.js';

/** @throws ApiError 400 that names each fault of the settings */
export function assertAuth({ authType, auth, baseUrl }: Authentication & { baseUrl: string }): void {
  const { headers = {}, query = {}, aws, clientCertificate = false } = auth ?? {};
  const hasTemplates = Object.keys(headers).length + Object.keys(query).length > 0;
  if (authType === 'none' && auth !== null) throw errors.invalid('auth: must be null, because authType is none');
  if (authType !== 'custom' && auth !== null && (hasTemplates || aws !== undefined || !clientCertificate)) {
    throw errors.invalid(`auth: must be null or {"clientCertificate": true}, because authType is ${authType}`);
  }
  if (authType === 'custom' && !hasTemplates && aws === undefined && !clientCertificate) {
    throw errors.invalid('auth: must have headers, query, aws or clientCertificate, because authType is custom');
  }
  if (hasTemplates && aws !== undefined) throw errors.invalid('auth.aws: cannot be combined with headers or query');
  if (clientCertificate && !/^https:/i.test(baseUrl)) {
    throw errors.invalid('auth.clientCertificate: needs a baseUrl with https');
  }
  refuse([
    ...faultsOfGroup('auth.headers', headers, headerNameFault, headerTemplateFault),
    ...faultsOfGroup('auth.query', query, queryNameFault, templateFault),
  ]);
}

/** @param names of the credentials that are stored, or about to be @throws ApiError 400 that names each unknown key */
export function assertKeysExist(auth: AuthSettings | null, names: readonly string[]): void {
  const { headers = {}, query = {} } = auth ?? {};
  const groups = [Object.entries(headers), Object.entries(query)];
  refuse(
    groups.flatMap((templates, group) =>
      templates.flatMap(([name, template]) =>
        findTemplateKeys(template)
          .filter((key) => !names.includes(key))
          .map(
            (key) => `auth.${group === 0 ? 'headers' : 'query'}.${name}: there is no credential with the key "${key}"`,
          ),
      ),
    ),
  );
}

function faultsOfGroup(
  path: string,
  templates: Record<string, string>,
  nameFault: (name: string) => string | null,
  valueFault: (template: string) => string | null,
): string[] {
  const entries = Object.entries(templates);
  if (entries.length > AUTH_TEMPLATES_MAX) return [`${path}: must have at most ${AUTH_TEMPLATES_MAX} entries`];
  const lower = entries.map(([name]) => name.toLowerCase());
  return entries.flatMap(([name, template], index) => {
    const fault =
      nameFault(name) ??
      (lower.indexOf(lower[index]) !== index ? 'must not occur twice' : null) ??
      (template.length > AUTH_TEMPLATE_MAX
        ? `must have at most ${AUTH_TEMPLATE_MAX} characters`
        : valueFault(template));
    return fault === null ? [] : [`${path}.${name.slice(0, CREDENTIAL_NAME_MAX)}: ${fault}`];
  });
}

const headerTemplateFault = (template: string): string | null =>
  template.trim() !== template || !isValidHeaderValue(template)
    ? 'must not begin or end with a space, nor contain characters that a header cannot carry'
    : templateFault(template);

const queryNameFault = (name: string): string | null =>
  name === '' || name.length > CREDENTIAL_NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name)
    ? `name must have 1 to ${CREDENTIAL_NAME_MAX} characters, and no control characters`
    : null;

function refuse(faults: string[]): void {
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
}

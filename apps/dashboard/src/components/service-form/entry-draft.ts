import { filledIn, type CatalogueAuth, type CatalogueEntry } from '#catalogue';
import { smallDescription } from '#catalogue/small-description';
import { RECOMMENDED_EFFECTS, type AskedEffect } from '#contracts/effects';
import { RULE_PRESETS, type RulePreset } from '#contracts/rule-presets';
import type { NewService } from '../../lib/create-service.js';

/** The values that a person has typed and chosen in the form of a catalogue entry. */
export interface EntryDraft {
  name: string;
  /** The chosen way to authenticate, as an index in `entry.auth`. */
  way: number;
  placeholders: Readonly<Record<string, string>>;
  credentials: Readonly<Record<string, string>>;
  clientId: string;
  /** Separated by spaces. Null: those of the entry. */
  scopes: string | null;
  /** Titles of rules that are not wanted. */
  without: readonly string[];
  askFor: readonly AskedEffect[];
}

export const emptyDraft = ({ name }: CatalogueEntry): EntryDraft => ({
  name,
  way: 0,
  placeholders: {},
  credentials: {},
  clientId: '',
  scopes: null,
  without: [],
  askFor: RECOMMENDED_EFFECTS,
});

interface OfferedRule {
  title: string;
  rules: NewService['rules'];
}

/** The presets and the rules of an entry, as one list of choices. */
export function offeredRules({ presets, rules = [] }: CatalogueEntry): OfferedRule[] {
  const chosen = RULE_PRESETS.filter(({ key }) => presets.some((each) => each === key));
  return [
    ...chosen.map((preset: RulePreset) => ({ title: preset.title, rules: preset.rules })),
    ...rules.map((rule) => ({ title: rule.name, rules: [rule] })),
  ];
}

/** The credentials that a person has to enter. The others are fixed by the provider. */
export const askedFor = ({ credentials }: CatalogueAuth) => credentials.filter(({ value }) => value === undefined);

/** A value that stays within its place in a URL: part of a host, or a segment of a path. */
export const fitsPlaceholder = (value: string): boolean => /^[\w.:-]+$/.test(value.trim());

/** The first field that is empty, or that can't be used. Null: the draft is complete. */
export function firstGap(entry: CatalogueEntry, draft: EntryDraft): string | null {
  const way = entry.auth[draft.way]!;
  const fields: [label: string, isFine: boolean][] = [
    ['Name', draft.name.trim() !== ''],
    ...(entry.placeholders ?? []).map(({ name, label }): [string, boolean] => [
      label,
      fitsPlaceholder(draft.placeholders[name] ?? ''),
    ]),
    ...(way.oauth ? [['Client ID', draft.clientId.trim() !== ''] satisfies [string, boolean]] : []),
    ...askedFor(way).map(({ name, label }): [string, boolean] => [
      label,
      (draft.credentials[name] ?? '').trim() !== '',
    ]),
  ];
  return fields.find(([, isFine]) => !isFine)?.[0] ?? null;
}

/** The service that a complete draft describes. */
export function toNewService(entry: CatalogueEntry, draft: EntryDraft): NewService {
  const { baseUrl, auth, testPath } = filledIn(entry, draft.placeholders);
  const { authType, auth: settings, oauth, credentials } = auth[draft.way]!;
  const scopes = draft.scopes?.split(/\s+/).filter(Boolean);
  return {
    service: {
      name: draft.name.trim(),
      baseUrl,
      authType,
      ...(settings && { auth: settings }),
      ...(oauth && { oauth: { ...oauth, clientId: draft.clientId.trim(), scopes: scopes ?? oauth.scopes } }),
      credentials: Object.fromEntries(
        credentials.map(({ name, value }) => [name, value ?? (draft.credentials[name] ?? '').trim()]),
      ),
      askFor: [...draft.askFor],
    },
    rules: offeredRules(entry)
      .filter(({ title }) => !draft.without.includes(title))
      .flatMap(({ rules }) => rules),
    openapi: smallDescription(entry),
    testPath,
  };
}

import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, isISO8601, Max, Min, registerDecorator, type ValidationOptions } from 'class-validator';
import { ID_MAX } from './limits.js';

/**
 * Options for a validation rule whose message is the complete error text, without a leading `<field>: `. See
 * docs/reference/http.md#validation.
 */
export const verbatim = (message: string): ValidationOptions => ({ message, context: { verbatim: true } });

/** Drops the white space around a text. People paste tokens and addresses with the end of their line. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value));

/**
 * Whether the e-mail has a letter outside ASCII that becomes an ASCII letter in lower case, as the Kelvin sign becomes
 * `k`. E-mails are compared in lower case, and databases treat such letters differently. So one account could pass for
 * another.
 */
export const hasTurningLetters = (email: string): boolean =>
  Array.from(email).some((letter) => letter > '\x7f' && /[\0-\x7f]/.test(letter.normalize('NFKC').toLowerCase()));

/** The e-mail has no such letters. */
export const HasNoTurningLetters: PropertyDecorator = (target, propertyName) =>
  registerDecorator({
    name: 'hasNoTurningLetters',
    target: target.constructor,
    propertyName: propertyName as string,
    options: { message: 'must not have letters that turn into others in lower case' },
    validator: { validate: (value: unknown) => typeof value !== 'string' || !hasTurningLetters(value) },
  });

/** An id that fits into PostgreSQL's integer type. */
export const IsId = (options?: ValidationOptions): PropertyDecorator =>
  applyDecorators(IsInt(options), Min(1, options), Max(ID_MAX, options));

/**
 * A date or date-time that JavaScript can parse too. ISO 8601 also allows week dates, ordinal dates and a basic format,
 * which it can't.
 */
export function IsMoment(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isMoment',
      target: target.constructor,
      propertyName: propertyName as string,
      options: { message: 'must be a date or date-time like 2026-01-31T12:00:00Z' },
      validator: {
        validate: (value: unknown) => isISO8601(value, { strict: true }) && !Number.isNaN(Date.parse(value as string)),
      },
    });
}

/** An object whose values are all strings. Checking own keys is enough: the JSON parser refuses `__proto__`. */
export function IsStringMap(options: ValidationOptions = {}): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isStringMap',
      target: target.constructor,
      propertyName: propertyName as string,
      options: { message: 'must be an object whose values are strings', ...options },
      validator: {
        validate: (value: unknown) =>
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Object.values(value).every((entry) => typeof entry === 'string'),
      },
    });
}

/** Removes line breaks at the ends of each value: they come from a file or a terminal, and no header can have them. */
export const TrimmedLines = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutEndLines(entry)]))
      : value,
  );

const withoutEndLines = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^[\r\n\uFEFF]+/, '').replace(/(?<![\r\n])[\r\n]+$/, '') : value;

/** Reports one error text, verbatim, when none of the named fields is present. Put it on any one of them. */
export function AtLeastOneOf(fields: readonly string[]): PropertyDecorator {
  return (target) =>
    registerDecorator({
      name: 'atLeastOneOf',
      target: target.constructor,
      // Registered under a name that is not a field: on a missing field that is optional, this rule would be skipped too.
      propertyName: 'atLeastOneOf',
      options: verbatim(`At least one of ${fields.join(', ')} is required`),
      validator: {
        validate: (_value: unknown, args) =>
          fields.some((field) => (args!.object as Record<string, unknown>)[field] !== undefined),
      },
    });
}

import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  IsInt,
  isISO8601,
  IsOptional,
  Max,
  Min,
  registerDecorator,
  ValidateIf,
  type ValidationOptions,
} from 'class-validator';
import { ID_MAX } from './limits.js';

/**
 * The text of such a rule is the whole error, without the `<field>: ` before it
 * (texts that the specification gives word for word).
 */
export const verbatim = (message: string): ValidationOptions => ({ message, context: { verbatim: true } });

/** The field may be missing, but `null` is not the same as missing. */
export const IsMissable = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined);

/** An id as PostgreSQL's integer holds it. */
export const IsId = (options?: ValidationOptions): PropertyDecorator =>
  applyDecorators(IsInt(options), Min(1, options), Max(ID_MAX, options));

/** A date or date-time that JavaScript reads too: ISO 8601 also has weeks, ordinal days and a basic format. */
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

/** An object whose values are all strings. Own keys only: `__proto__` was refused when the body was read. */
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

/** A query parameter that stands for a number; text that is none stays text, and the number rules refuse it. */
export const QueryNumber = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
    ),
  );

/** Reports one text, verbatim, when none of the named fields is present. Put it on any of them. */
export function AtLeastOneOf(fields: readonly string[]): PropertyDecorator {
  return (target) =>
    registerDecorator({
      name: 'atLeastOneOf',
      target: target.constructor,
      // Of no field: `IsMissable` on a field that is missing would skip this rule too.
      propertyName: 'atLeastOneOf',
      options: verbatim(`At least one of ${fields.join(', ')} is required`),
      validator: {
        validate: (_value: unknown, args) =>
          fields.some((field) => (args!.object as Record<string, unknown>)[field] !== undefined),
      },
    });
}

/**
 * Decorators for the fields of requests: texts, numbers, choices and times. `nested-fields.ts` has lists and objects.
 * Each checks its field and documents it in `/openapi.json`, so that a limit is written once. The gateway does not check
 * its responses: their fields have `@ApiProperty`.
 *
 * The first parameter has what is checked and documented, in the order of the keys in the document. The second,
 * `undocumented`, has rules that the document does not state. New fields need none.
 *
 * A field reports the first rule that it breaks. Rules of class-validator below one of these decorators come before its
 * own rules.
 */
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { EMAIL_MAX, EXPIRES_IN_MINUTES_MAX, ID_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.js';
import { HasNoTurningLetters, IsId, IsMoment, Trimmed } from './validation.js';

/** Rules that every field can have. */
export interface Presence {
  /** The field may be missing. `null` does not count as missing. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
}

/** What the document says besides the rules. */
export interface FieldOptions extends Presence {
  format?: string;
  example?: unknown;
  default?: unknown;
}

/** Options that have no key in the document. */
const NOT_DOCUMENTED = ['optional', 'trimmed', 'message', 'query'];

/**
 * Documents a field. Lets it be missing or null, if it may be.
 *
 * @param names the keys in the document of options that have another name
 */
export function Field(
  options: Presence & Readonly<Record<string, unknown>>,
  undocumented: Presence = {},
  names: Readonly<Record<string, string>> = {},
): PropertyDecorator {
  const { optional = false, nullable = false } = { ...options, ...undocumented };
  const documented = Object.entries(options)
    .filter(([option]) => !NOT_DOCUMENTED.includes(option))
    .map(([option, value]) => [names[option] ?? option, value]);
  return applyDecorators(
    ...(optional || nullable
      ? [ValidateIf((_object, value) => !(optional && value === undefined) && !(nullable && value === null))]
      : []),
    ApiProperty({ ...Object.fromEntries(documented), ...(optional ? { required: false } : {}) } as ApiPropertyOptions),
  );
}

interface TextRules extends Presence {
  /** The shortest and the longest text, in characters. */
  min?: number;
  max?: number;
  /** What the text must match. `message` is the error text, without the name of the field. */
  pattern?: RegExp;
  message?: string;
  /** Whether the white space around the text is dropped first. */
  trimmed?: boolean;
}

/** A text. */
export function Text(options: TextRules & FieldOptions = {}, undocumented: TextRules = {}): PropertyDecorator {
  const { min, max, pattern, message, trimmed } = { ...options, ...undocumented };
  return applyDecorators(
    ...(pattern ? [Matches(pattern, { message })] : []),
    ...(min !== undefined && max !== undefined ? [Length(min, max)] : []),
    ...(min !== undefined && max === undefined ? [MinLength(min)] : []),
    ...(min === undefined && max !== undefined ? [MaxLength(max)] : []),
    IsString(),
    ...(trimmed ? [Trimmed()] : []),
    Field({ type: String, ...options }, undocumented, { min: 'minLength', max: 'maxLength' }),
  );
}

/** A text of one line, without the white space around it. */
export const OneLine = ({ max, ...options }: { max: number } & FieldOptions): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    IsString(),
    Length(1, max),
    Matches(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, { message: 'must be one line' }),
    Field({ type: String, minLength: 1, maxLength: max, ...options }),
  );

/** The e-mail of an account. */
export const AccountEmail = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    IsString(),
    MaxLength(EMAIL_MAX),
    IsEmail(),
    HasNoTurningLetters,
    Field({ type: String, format: 'email', maxLength: EMAIL_MAX }),
  );

/** One of these values. `name` is the schema that fields with the same values share in the document. */
export const Choice = (
  values: readonly unknown[],
  { name, ...options }: { name?: string; type?: 'integer' } & FieldOptions = {},
): PropertyDecorator => applyDecorators(IsIn(values), Field({ ...enumSchema(values, name), ...options }));

/** What the document says about these values. */
export const enumSchema = (
  values: readonly unknown[],
  name?: string,
): { enum: readonly unknown[]; enumName?: string } =>
  name === undefined ? { enum: values } : { enum: values, enumName: name };

interface NumberRules extends Presence {
  min?: number;
  max?: number;
}

interface NumberOptions extends NumberRules, FieldOptions {
  /** For a query: the number arrives as text, and may be missing. Text that is not a number breaks the rules. */
  query?: boolean;
  /** With `Number`, the document calls an integer a number. New fields leave it out. */
  type?: NumberConstructor;
}

const NUMBER_NAMES = { min: 'minimum', max: 'maximum' };

const AsNumber = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );

function NumberField(
  isKind: PropertyDecorator,
  type: unknown,
  options: NumberOptions,
  undocumented: NumberRules = {},
): PropertyDecorator {
  const { min, max, query } = { ...options, ...undocumented };
  return applyDecorators(
    ...(max === undefined ? [] : [Max(max)]),
    ...(min === undefined ? [] : [Min(min)]),
    isKind,
    ...(query ? [AsNumber()] : []),
    Field({ type, ...(query ? { optional: true } : {}), ...options }, undocumented, NUMBER_NAMES),
  );
}

/** An integer. */
export const Integer = (options: NumberOptions = {}, undocumented: NumberRules = {}): PropertyDecorator =>
  NumberField(IsInt(), 'integer', options, undocumented);

/** A number that may have decimals. */
export const Decimal = (options: NumberOptions = {}): PropertyDecorator => NumberField(IsNumber(), Number, options);

/** The id of a row: an integer from 1 to `ID_MAX`. With `min` and `max`, the document states this. */
export const Id = (
  options: { type?: NumberConstructor; min?: 1; max?: typeof ID_MAX } & Presence = {},
): PropertyDecorator => applyDecorators(IsId(), Field({ type: 'integer', ...options }, {}, NUMBER_NAMES));

/** The id of a row, in a query. */
export const QueryId = (): PropertyDecorator => Integer({ query: true, type: Number }, { min: 1, max: ID_MAX });

/** The most entries of a page, in a query. */
export const PageLimit = (): PropertyDecorator =>
  Integer({ query: true, type: Number, min: 1, max: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT });

/** `true` or `false`. */
export const Flag = (options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(IsBoolean(), Field({ type: Boolean, ...options }));

/** A date or date-time. */
export const Timestamp = (options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(IsMoment(), Field({ type: String, format: 'date-time', ...options }));

/** How many minutes from now something ends, by the gateway's clock. May be missing. */
export const MinutesToLive = (): PropertyDecorator =>
  applyDecorators(
    IsInt(),
    Min(1),
    Max(EXPIRES_IN_MINUTES_MAX),
    Field({ optional: true, type: Number, minimum: 1, maximum: EXPIRES_IN_MINUTES_MAX }),
  );

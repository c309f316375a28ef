/** Decorators for the fields of requests that are lists, maps or objects. See `fields.ts`. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsIn, IsObject, IsString, MaxLength, ValidateNested } from 'class-validator';
import { enumSchema, Field, type FieldOptions, type Presence } from './fields.js';
import { IsId, IsStringMap } from './validation.js';

interface ListRules extends Presence {
  /** The most entries. */
  max?: number;
}

const NAMES = { max: 'maxItems' };
const EACH = { each: true };

const atMost = (max: number | undefined): PropertyDecorator[] => (max === undefined ? [] : [ArrayMaxSize(max)]);

/** A list of ids of rows. */
export const Ids = (options: ListRules = {}, undocumented: ListRules = {}): PropertyDecorator =>
  applyDecorators(
    IsId(EACH),
    ...atMost(undocumented.max ?? options.max),
    IsArray(),
    Field({ type: [Number], ...options }, undocumented, NAMES),
  );

/** A list of these values: at most as many as there are. `name` is that of `Choice`. */
export const Choices = (
  values: readonly unknown[],
  { name, ...options }: { name?: string } & Presence = {},
): PropertyDecorator =>
  applyDecorators(
    IsIn(values, EACH),
    ArrayMaxSize(values.length),
    IsArray(),
    Field({ ...enumSchema(values, name), isArray: true, ...options }),
  );

/** A list of texts. `eachMax` is the length of the longest one, in characters. */
export const Texts = (
  options: ListRules & FieldOptions = {},
  undocumented: ListRules & { eachMax?: number } = {},
): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ...atMost(undocumented.max ?? options.max),
    IsString(EACH),
    ...(undocumented.eachMax === undefined ? [] : [MaxLength(undocumented.eachMax, EACH)]),
    Field({ type: [String], ...options }, undocumented, NAMES),
  );

/** An object whose values are all strings. */
export const StringMap = (options: FieldOptions = {}, undocumented: Presence = {}): PropertyDecorator =>
  applyDecorators(
    IsStringMap(),
    Field({ type: 'object', additionalProperties: { type: 'string' }, ...options }, undocumented),
  );

/** An object whose class has rules of its own. */
export const Nested = (type: new () => object, options: Presence = {}): PropertyDecorator =>
  applyDecorators(
    Type(() => type),
    ValidateNested(),
    IsObject(),
    ...(options.optional ? [] : [IsDefined()]),
    Field({ type, ...options }),
  );

/** A list of objects whose class has rules of its own. */
export const NestedList = (
  type: new () => object,
  options: ListRules = {},
  undocumented: ListRules = {},
): PropertyDecorator =>
  applyDecorators(
    Type(() => type),
    ValidateNested(EACH),
    ...atMost(undocumented.max ?? options.max),
    IsArray(),
    Field({ type: [type], ...options }, undocumented, NAMES),
  );

import 'reflect-metadata';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import Ajv2020 from 'ajv/dist/2020.js';
import { plainToInstance } from 'class-transformer';
import { MinLength, validateSync, type ValidationError } from 'class-validator';
import * as fc from 'fast-check';
import {
  AccountEmail,
  Choice,
  Decimal,
  Flag,
  Id,
  Integer,
  MinutesToLive,
  OneLine,
  PageLimit,
  QueryId,
  Text,
  Timestamp,
} from './fields.js';
import { ID_MAX } from './limits.js';
import { Choices, Ids, Nested, NestedList, StringMap, Texts } from './nested-fields.js';

const COLORS = ['red', 'green'] as const;

class Inner {
  @Text({ max: 3 })
  text: string;
}

class Sample {
  @Text() text: string;
  @Text({ min: 2, max: 4 }) between: string;
  @Text({ min: 2 }) atLeast: string;
  @Text({ max: 4, optional: true, nullable: true }) atMost?: string | null;
  @Text({ pattern: /^[ab]+$/, message: 'must be of a and b' }) pattern: string;
  @OneLine({ max: 4 }) line: string;
  @Choice(COLORS) choice: string;
  @Choice([1, 2], { type: 'integer' }) number: number;
  @Integer({ min: -1, max: 3 }) integer: number;
  @Integer({ min: 0, optional: true, nullable: true }) natural?: number | null;
  @Decimal({ min: 0, max: 1 }) decimal: number;
  @Id({ min: 1, max: ID_MAX }) id: number;
  @Flag({ optional: true }) flag?: boolean;
  @Texts({ max: 2, optional: true }) texts?: string[];
  @StringMap({ optional: true, nullable: true }) map?: Record<string, string> | null;
  @Nested(Inner) inner: Inner;
  @NestedList(Inner, { max: 2, optional: true }) inners?: Inner[];
}

/** Fields whose rules the document states in part. */
class Partly {
  @Text({ format: 'uri', max: 4, example: 'x', trimmed: true }, { min: 2 }) url: string;
  @Text({ example: 'a' }, { pattern: /^a$/, message: 'must be a' }) secret: string;
  @Text({ optional: true, max: 4 }, { nullable: true }) orNull?: string;
  @Text() @MinLength(2, { message: 'must be longer' }) stacked: string;
  @Choice(COLORS, { name: 'Color', default: 'red' }) color: string;
  @Integer({ type: Number, min: 1 }, { max: 3 }) number: number;
  @Id() id: number;
  @QueryId() of?: number;
  @Timestamp({ optional: true, nullable: true }) at?: string | null;
  @AccountEmail() email: string;
  @PageLimit() limit?: number;
  @MinutesToLive() minutes?: number;
  @Ids({ optional: true }, { max: 1 }) ids?: number[];
  @Ids({ max: 2 }) twoIds: number[];
  @Choices(COLORS, { name: 'Color' }) colors: string[];
  @Texts({ example: ['x'] }, { max: 1, eachMax: 2 }) texts: string[];
  @NestedList(Inner, {}, { max: 1 }) inners: Inner[];
}

interface Schema {
  properties: Record<string, object>;
  required: string[];
}
let schemas: Record<string, Schema>;

beforeAll(async () => {
  @Controller()
  class Samples {
    @Post('sample') sample(@Body() _body: Sample): void {}
    @Post('partly') partly(@Body() _body: Partly): void {}
  }
  @Module({ controllers: [Samples] })
  class SamplesModule {}
  const app = await NestFactory.create(SamplesModule, { logger: false });
  const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  schemas = components!.schemas as Record<string, Schema>;
});

/** The error texts about one field, and about the fields in it. */
function listFaults(type: new () => object, field: string, value: unknown): string[] {
  const listTexts = ({ constraints, children = [] }: ValidationError): string[] => [
    ...Object.values(constraints ?? {}),
    ...children.flatMap(listTexts),
  ];
  return validateSync(plainToInstance(type, { [field]: value }), { stopAtFirstError: true })
    .filter(({ property }) => property === field)
    .flatMap(listTexts);
}

/** Values near the limits of the samples, and values of other types. */
const leaves = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'z', '😀', '\u2028'), maxLength: 6 }),
  fc.constantFrom(...COLORS, null, true, false, ID_MAX, ID_MAX + 1, 200, 201, 0.5),
  fc.integer({ min: -3, max: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const values = fc.oneof(
  { weight: 3, arbitrary: leaves },
  fc.array(leaves, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('text', 'a'), leaves, { noNullPrototype: true }),
  fc.array(fc.record({ text: leaves }, { requiredKeys: [], noNullPrototype: true }), { maxLength: 3 }),
);

it('a field accepts exactly what it documents', () => {
  const ajv = new Ajv2020.default({ strict: false });
  ajv.addSchema({ $id: 'document', components: { schemas } });
  for (const field of Object.keys(schemas.Sample.properties)) {
    const documented = ajv.compile({ $ref: `document#/components/schemas/Sample/properties/${field}` });
    fc.assert(
      fc.property(values, (value) => {
        // The document has no pattern for text of one line.
        fc.pre(field !== 'line' || !JSON.stringify(value).includes('\u2028'));
        expect([field, value, listFaults(Sample, field, value).length === 0]).toEqual([
          field,
          value,
          documented(value),
        ]);
      }),
      { numRuns: 300 },
    );
    const isRequired = listFaults(Sample, field, undefined).length > 0;
    expect([field, schemas.Sample.required.includes(field)]).toEqual([field, isRequired]);
  }
});

it('documents a field in the order of its options, without the rules that are not documented', () => {
  const inner = { $ref: '#/components/schemas/Inner' };
  const color = { $ref: '#/components/schemas/Color' };
  expect(JSON.stringify(schemas.Partly.properties)).toBe(
    JSON.stringify({
      url: { type: 'string', format: 'uri', maxLength: 4, example: 'x' },
      secret: { type: 'string', example: 'a' },
      orNull: { type: 'string', maxLength: 4 },
      stacked: { type: 'string' },
      color: { default: 'red', allOf: [color] },
      number: { type: 'number', minimum: 1 },
      id: { type: 'integer' },
      of: { type: 'number' },
      at: { type: 'string', format: 'date-time', nullable: true },
      email: { type: 'string', format: 'email', maxLength: 254 },
      limit: { type: 'number', minimum: 1, maximum: 200, default: 50 },
      minutes: { type: 'number', minimum: 1, maximum: 527040 },
      ids: { type: 'array', items: { type: 'number' } },
      twoIds: { maxItems: 2, type: 'array', items: { type: 'number' } },
      colors: { type: 'array', items: color },
      texts: { example: ['x'], type: 'array', items: { type: 'string' } },
      inners: { type: 'array', items: inner },
    }),
  );
  expect(schemas.Color).toEqual({ type: 'string', enum: COLORS });
});

it.each([
  ['url', ' 1 ', ['url must be longer than or equal to 2 characters']],
  ['url', 1, ['url must be longer than or equal to 2 and shorter than or equal to 4 characters']],
  ['url', ' 12 ', []],
  ['secret', 'b', ['must be a']],
  ['secret', 1, ['must be a']],
  ['orNull', null, []],
  ['orNull', undefined, []],
  ['orNull', 1, ['orNull must be shorter than or equal to 4 characters']],
  ['stacked', 1, ['must be longer']],
  ['stacked', 'x', ['must be longer']],
  ['color', 'blue', ['color must be one of the following values: red, green']],
  ['number', 4, ['number must not be greater than 3']],
  ['number', '2', ['number must not be greater than 3']],
  ['id', 'x', ['id must be an integer number']],
  ['id', ID_MAX + 1, [`id must not be greater than ${ID_MAX}`]],
  ['of', '7', []],
  ['of', 'x', [`of must not be greater than ${ID_MAX}`]],
  ['of', '0', ['of must not be less than 1']],
  ['of', undefined, []],
  ['at', '2026-01-31', []],
  ['at', null, []],
  ['at', 'soon', ['must be a date or date-time like 2026-01-31T12:00:00Z']],
  ['email', ' ann@example.com ', []],
  ['email', 'ann\u212A@example.com', ['must not have letters that turn into others in lower case']],
  ['limit', '201', ['limit must not be greater than 200']],
  ['minutes', 1.5, ['minutes must be an integer number']],
  ['ids', [0], ['each value in ids must not be less than 1']],
  ['twoIds', [1, 2, 3], ['twoIds must contain no more than 2 elements']],
  ['colors', ['red', 'red', 'red'], ['colors must contain no more than 2 elements']],
  ['colors', ['blue'], ['each value in colors must be one of the following values: red, green']],
  ['ids', [1, 2], ['ids must contain no more than 1 elements']],
  ['ids', 'x', ['each value in ids must be an integer number']],
  ['texts', 'x', ['texts must be an array']],
  ['texts', ['xyz'], ['each value in texts must be shorter than or equal to 2 characters']],
  ['inners', [{}, {}], ['inners must contain no more than 1 elements']],
])('checks all rules: %s %j', (field, value, texts) => {
  expect(listFaults(Partly, field, value)).toEqual(texts);
});

it('requires a nested object, and says what it must be', () => {
  expect(listFaults(Sample, 'inner', undefined)).toEqual(['inner should not be null or undefined']);
  expect(listFaults(Sample, 'inner', 'x')).toEqual(['inner must be an object']);
  expect(listFaults(Sample, 'inner', { text: 'long' })).toEqual(['text must be shorter than or equal to 3 characters']);
});

it('refuses a text of several lines', () => {
  expect(listFaults(Sample, 'line', 'a\u2028b')).toEqual(['must be one line']);
  expect(listFaults(Sample, 'line', ' a\n')).toEqual([]);
});

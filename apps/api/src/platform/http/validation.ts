import { ValidationPipe, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { registerDecorator, validateSync, type ValidationError } from 'class-validator';
import { ID_MAX } from '#contracts/limits';
import { ApiError, errors } from '../errors.js';

const OPTIONS = { whitelist: true, forbidUnknownValues: true, stopAtFirstError: true } as const;

/**
 * Validates bodies and queries against their DTO classes. Unknown fields are dropped
 * (docs/reference/http.md#validation).
 */
class DtoPipe extends ValidationPipe {
  constructor() {
    super({ ...OPTIONS, transform: true, exceptionFactory: (faults) => invalidFields(faults) });
  }

  /** Leaves path parameters unchanged. Nest would convert `1e3` and ` 1` to numbers before `IdPipe` sees them. */
  protected override transformPrimitive(value: unknown): unknown {
    return value;
  }
}

export const validationPipe = (): ValidationPipe => new DtoPipe();

/** Validates an object outside a pipe. @param isStrict refuses unknown fields @throws ApiError 400 */
export function validate<T extends object>(type: new () => T, plain: object, isStrict = false): T {
  const instance = plainToInstance(type, plain);
  const faults = validateSync(instance, { ...OPTIONS, forbidNonWhitelisted: isStrict });
  if (faults.length > 0) throw invalidFields(faults);
  return instance;
}

/**
 * Adds a rule to a DTO field that the contracts can't express. Its faults are reported together with all others.
 * @param listFaults returns the faults of the field, each as `<field.path>: <message>`; called only if the field is
 * present
 */
export function alsoCheck<T extends object, K extends keyof T & string>(
  type: Type<T>,
  field: K,
  listFaults: (value: NonNullable<T[K]>, dto: T) => string[],
): void {
  const check = (value: unknown, dto: object | undefined): string[] =>
    value === undefined || value === null ? [] : listFaults(value as NonNullable<T[K]>, dto as T);
  registerDecorator({
    name: 'alsoCheck',
    target: type,
    propertyName: field,
    options: { context: { verbatim: true }, message: (about) => check(about.value, about.object).join('; ') },
    validator: { validate: (value: unknown, about) => check(value, about?.object).length === 0 },
  });
}

/** Returns the texts of the 400 errors that a check throws. Other errors are rethrown. */
export function collectFaults(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 400) return [error.message];
    throw error;
  }
}

/** Whether one of the texts, as `collectFaults` returns them, is about this field. */
export const isFaulty = (faults: string[], field: string): boolean =>
  faults.some((text) => new RegExp(`(^|; )${field}\\b`).test(text));

function invalidFields(faults: ValidationError[]): ApiError {
  const texts = [...new Set(faults.flatMap((fault) => describe(fault, '')))];
  return errors.invalid(texts.join('; '));
}

function describe(fault: ValidationError, prefix: string): string[] {
  const path = prefix + fault.property;
  const own = Object.entries(fault.constraints ?? {}).map(([rule, text]) =>
    (fault.contexts?.[rule] as { verbatim?: boolean } | undefined)?.verbatim
      ? text
      : `${path}: ${text.replace(`${fault.property} `, '')}`,
  );
  return [...own, ...(fault.children ?? []).flatMap((child) => describe(child, `${path}.`))];
}

/** Parses a path parameter that is a row's id: an integer within PostgreSQL's range. */
export class IdPipe implements PipeTransform<string, number> {
  constructor(private readonly name = 'id') {}

  transform(value: string): number {
    const id = /^[0-9]{1,10}$/.test(value) ? Number(value) : 0;
    if (id < 1 || id > ID_MAX) throw errors.invalidId(this.name);
    return id;
  }
}

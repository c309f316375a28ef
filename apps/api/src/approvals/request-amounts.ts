import { Injectable } from '@nestjs/common';
import type { RequestAmount } from '#contracts';
import type { ActionEntity } from '#database';
import { moneyIn, type AmountUnits } from '../headlines/money.js';
import type { NamedValue } from '../headlines/named-values.js';
import { formPath } from '../headlines/request-values.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { Turns } from '../platform/turns.js';
import { isSecretField } from '../request-reading/secret-names.js';
import type { RequestFields } from './request-fields.js';
import { fieldsSteps, isReadable, type StoredRequest } from './stored-fields.js';

const AMOUNTS_MAX = 50;

/** The amounts of held requests, so that an approver reads a sum beside `1250000`. */
@Injectable()
export class RequestAmounts {
  constructor(private readonly turns: Turns) {}

  /** @param description of the operation, in JSON. It may say in which unit an amount is */
  async of(action: ActionEntity, description: string): Promise<RequestAmount[]> {
    const { agentId, targetUrl } = action;
    if (agentId === null || !isReadable(action)) return [];
    const units = { host: new URL(targetUrl).hostname, description };
    return this.turns.finishInOrder(agentId, amountsSteps(action, units));
  }
}

function* amountsSteps(action: StoredRequest, units: AmountUnits): ShortSteps<RequestAmount[]> {
  const fields = yield* fieldsSteps(action);
  yield;
  return fields === null ? [] : amountsIn(fields, units);
}

/** The amounts whose unit is known, each with its place. They are read as for the headline. */
export function amountsIn(fields: RequestFields, units: AmountUnits): RequestAmount[] {
  const pointers = new Map<NamedValue, string>();
  for (const { values } of fields.values()) {
    for (const { pointer, value } of values) {
      const path = namesIn(pointer);
      pointers.set({ path, value, isSecret: path.some(isSecretField) }, pointer);
    }
  }
  return moneyIn([...pointers.keys()], units)
    .flatMap(({ text, digits, amount, currency }) => {
      if (digits === null) return [];
      const places = { pointer: pointers.get(amount)!, currencyPointer: pointers.get(currency)! };
      return [{ ...places, text, currency: (currency.value as string).toUpperCase(), digits }];
    })
    .slice(0, AMOUNTS_MAX);
}

const namesIn = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .flatMap((step) => formPath(step.replaceAll('~1', '/').replaceAll('~0', '~')));

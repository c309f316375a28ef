import { singular } from '../request-reading/singular.js';
import { joined, placeOf, type PlainRequest, type ToldAct } from './told-act.js';

/** What a `POST` to such a collection does with an amount. */
const MOVES = new Map(
  Object.entries({
    refund: 'Refund',
    transfer: 'Transfer',
    charge: 'Charge',
    payout: 'Pay out',
    payment: 'Payment of',
    payment_intent: 'Payment of',
    payment_order: 'Payment of',
    outbound_payment: 'Payment of',
    pay: 'Pay',
    withdrawal: 'Withdraw',
    disbursement: 'Pay out',
    balance_transfer: 'Transfer',
    capture: 'Capture',
    credit: 'Credit',
  }),
);

/** Of the amounts, the one that is moved. Others are fees, taxes and parts. */
const AMOUNT =
  /^(?:(?:instructed_?|transfer_?|payment_?|payout_?)?(?:amount|value|total)(?:_?(?:in_?)?(?:cents|minor|minor_?units?))?|(?:amount_)?money|items?|transactions?)$/i;

/** `Refund €12,500.00 · order 7731` */
export function tellMoney(request: PlainRequest): ToldAct | null {
  const { method, steps, money, isDescribed } = request;
  const verb = MOVES.get(singular(steps.at(-1)?.text.toLowerCase().replaceAll('-', '_') ?? ''));
  const moved = money.find(({ amount: { path } }) => path.every((each) => AMOUNT.test(each)));
  if (method !== 'POST' || isDescribed || verb === undefined || steps.at(-1)!.isIdentifier || moved === undefined) {
    return null;
  }
  const { text, amount, currency } = moved;
  const place = placeOf(request);
  return joined([`${verb} ${text}`, ...(place ? [' · ', place] : [])], [amount, currency]);
}

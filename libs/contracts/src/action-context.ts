import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Actor } from './actor.js';
import {
  ACTION_STATUSES,
  HTTP_METHODS,
  RULE_EFFECTS,
  type ActionStatus,
  type HttpMethod,
  type RuleEffect,
} from './states.js';

/** The operation of the service's documentation that matches the request. */
export class MatchedOperation {
  @ApiProperty()
  documentId: number;

  @ApiProperty()
  documentTitle: string;

  @ApiProperty()
  method: string;

  @ApiProperty()
  path: string;

  @ApiProperty({ nullable: true, type: String })
  operationId: string | null;

  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  @ApiProperty({ nullable: true, type: String })
  description: string | null;
}

export class SimilarAction {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  @ApiProperty()
  summary: string;

  /** As in the item of the action. */
  @ApiProperty()
  headline: string;

  @ApiProperty()
  intent: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  resolved_by: Actor | null;

  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;
}

/**
 * Why "approve and allow similar" is not offered. Rules match by method and path; these requests state their effect
 * elsewhere, so a rule would allow more than the approver saw.
 */
const ALLOW_SIMILAR_WITHHELD = ['graphql', 'rpc', 'batch', 'method_override', 'parameter', 'ambiguous_path'] as const;
export type AllowSimilarWithheld = (typeof ALLOW_SIMILAR_WITHHELD)[number];

/** A condition that limits a rule to a value of its request. */
export class ExceptionCondition {
  /** In CEL. */
  @ApiProperty({ example: 'request.body.amount <= 50' })
  text: string;

  /** Whether the person may leave it out: it is about an identifier. */
  @ApiProperty()
  mayVary: boolean;
}

/** What "allow similar" needs to lift the rules that held the request. */
export class PossibleException {
  @ApiProperty({ type: [Number] })
  exceptionTo: number[];

  /** The names of these rules. */
  @ApiProperty({ type: [String] })
  rules: string[];

  /** `when` of the exception: these, joined with ` && `. */
  @ApiProperty({ type: [ExceptionCondition] })
  conditions: ExceptionCondition[];

  /** How long an exception may last at most, whoever makes it. */
  @ApiProperty({ type: 'integer' })
  maxHours: number;
}

/**
 * Why no exception lifts the rules that hold the request: one of them refuses it now, one is a hard rule that nothing
 * lifts, or the values of the request can't be limited.
 */
const EXCEPTION_WITHHELD = ['denied', 'hard_rule', 'values'] as const;
type ExceptionWithheld = (typeof EXCEPTION_WITHHELD)[number];

/** Why the values of a request can't be limited. */
const UNLIMITED_VALUES = [
  'content_type',
  'unreadable',
  'no_object',
  'nested',
  'value',
  'too_much',
  'header',
  'operation',
] as const;
export type UnlimitedValues = (typeof UNLIMITED_VALUES)[number];

export class ImpossibleException {
  @ApiProperty({ enum: EXCEPTION_WITHHELD, enumName: 'ExceptionWithheld' })
  why: ExceptionWithheld;

  /**
   * Where `why` is `values`, else null: the content type is that of neither JSON nor a form (`content_type`); the body
   * does not fit its type (`unreadable`), or is JSON but no object (`no_object`); it has lists of lists or objects, or is
   * too deep (`nested`); a number or text can't be written exactly (`value`); there are too many values, or they are too
   * long (`too_much`); a header may be a secret, or occurs twice (`header`); another operation than that of method and
   * path is named (`operation`).
   */
  @ApiProperty({ enum: UNLIMITED_VALUES, enumName: 'UnlimitedValues', nullable: true })
  because: UnlimitedValues | null;

  /** The names of the rules that can't be lifted. */
  @ApiProperty({ type: [String] })
  rules: string[];
}

/** The `allow` rule that "approve and allow similar" would create. */
export class AllowSimilar {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  methods: HttpMethod[];

  /** Has a wildcard for the resource's own identifier, but never for its owner or namespace. */
  @ApiProperty({ example: '/repos/acme/api/issues/*' })
  pathPattern: string;

  /** Has a wildcard for every identifier. The approver can choose it instead. Missing if it equals `pathPattern`. */
  @ApiPropertyOptional({ example: '/repos/*/*/issues/*' })
  widerPathPattern?: string;

  @ApiProperty({ type: [Number] })
  agentIds: number[];

  /** How many of the latest requests to the service (at most 50) the rule would have allowed. */
  @ApiProperty()
  matched: number;

  /** How many requests were checked for `matched`. */
  @ApiProperty()
  of: number;

  /** The name of a stronger rule (`deny`, `require_approval`) that would still apply; null when there is none. */
  @ApiProperty({ nullable: true, type: String })
  overruledBy: string | null;

  /**
   * `when` that limits the rule to the values of the request: these, joined with ` && `. Null: its values can't be limited,
   * so the rule would allow any.
   */
  @ApiProperty({ type: [ExceptionCondition], nullable: true })
  values: ExceptionCondition[] | null;

  /** An exception that lifts the rules that held the request. Null: a plain rule does, or none can. */
  @ApiProperty({ type: PossibleException, nullable: true })
  exception: PossibleException | null;

  /** Why there is no exception although a rule overrules a plain one. Null otherwise. */
  @ApiProperty({ type: ImpossibleException, nullable: true })
  noException: ImpossibleException | null;

  /** How long the rule of this person may last at most. Null: there is no limit. */
  @ApiProperty({ nullable: true, type: 'integer' })
  maxHours: number | null;
}

export class Novelty {
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  agentCreatedAt: string | null;

  /** How many requests this agent sent to this service before. */
  @ApiProperty()
  earlierRequests: number;

  /** The same count for this method only: 0 means, for example, that this is the agent's first DELETE here. */
  @ApiProperty()
  earlierSameMethod: number;
}

const FIELD_DIFFERENCES = ['new_field', 'missing_field', 'new_value', 'unusual_number', 'unusual_count'] as const;

/** One field of a request that is different from all earlier requests. */
export class FieldDifference {
  /** A JSON pointer into `{query, body}`. Of a missing field: where an earlier request had it. */
  @ApiProperty({ example: '/body/amount' })
  pointer: string;

  /**
   * `new_field`: no earlier request has it. `missing_field`: all of them have it, and this one has not. `new_value`: the
   * earlier ones had few values, and not this one. `unusual_number`: three times as high as usual or a fifth, and higher
   * or lower than all. `unusual_count`: the same for the items of a list.
   */
  @ApiProperty({ enum: FIELD_DIFFERENCES })
  kind: (typeof FIELD_DIFFERENCES)[number];

  /** The value now, at most 100 characters, or the number of items. null: it has none, or several. */
  @ApiProperty({ nullable: true, type: String })
  value: string | null;

  /** The median of earlier numbers, or the value that most earlier requests had. null: there is none. */
  @ApiProperty({ nullable: true, type: String })
  usual: string | null;

  /** For numbers and counts: how many times the usual it is, with two digits. */
  @ApiProperty({ nullable: true, type: Number })
  times: number | null;
}

/** What is different from earlier requests of the same operation by this agent. */
export class RequestDifferences {
  /** How many earlier requests were compared: the latest ones that people approved, 3 to 10. */
  @ApiProperty()
  of: number;

  /** At most 20, in the order of the request; missing fields come last. */
  @ApiProperty({ type: [FieldDifference] })
  fields: FieldDifference[];

  /** How many others there are. */
  @ApiProperty()
  more: number;
}

/** A rule that asks for a held request, or refuses it. */
export class HoldingRule {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  effect: RuleEffect;

  /** The name of the person who made it. null: nobody knows, or the gateway did. */
  @ApiProperty({ nullable: true, type: String })
  createdBy: string | null;
}

/** An amount in the query or the body, where the gateway knows its currency and its unit. */
export class RequestAmount {
  /** Where the number is, as a JSON pointer (RFC 6901) into `{query, body}`. */
  @ApiProperty({ example: '/body/amount' })
  pointer: string;

  /** The sum, as in the headline. */
  @ApiProperty({ example: '€12,500.00' })
  text: string;

  /** ISO 4217. */
  @ApiProperty({ example: 'EUR' })
  currency: string;

  /** Where the currency is. */
  @ApiProperty({ example: '/body/currency' })
  currencyPointer: string;

  /** The number counts units of ten to the power of minus this: 2 for cents, 0 for euros. */
  @ApiProperty({ example: 2 })
  digits: number;
}

/** The other pending requests to the same service that are about the same thing. */
export class SameThing {
  /** The thing, in words. */
  @ApiProperty({ example: 'order 7731' })
  name: string;

  /** A search (`q`) for this text finds the requests, maybe among others. */
  @ApiProperty({ example: '7731' })
  text: string;

  /** How many they are, at most 200. Identical requests of one agent with the same intent do not count. */
  @ApiProperty({ example: 2 })
  count: number;
}

/** More information that helps an approver to decide. */
export class ActionContext {
  @ApiProperty({ type: MatchedOperation, nullable: true })
  operation: MatchedOperation | null;

  @ApiProperty({ type: Novelty })
  novelty: Novelty;

  /** The latest decided actions with the same method and a path of the same form, newest first, at most five. */
  @ApiProperty({ type: [SimilarAction] })
  similar: SimilarAction[];

  /**
   * The rules that match the request and ask for it, or refuse it, as they are now: the strongest first. A rule that
   * held the request may have changed since.
   */
  @ApiProperty({ type: [HoldingRule] })
  holdingRules: HoldingRule[];

  /** null: fewer than three earlier requests can be compared, or this one can't. */
  @ApiProperty({ type: RequestDifferences, nullable: true })
  differences: RequestDifferences | null;

  /** At most 50, in the order of the request. Amounts whose unit nobody can be sure of are left out. */
  @ApiProperty({ type: [RequestAmount] })
  amounts: RequestAmount[];

  /** null: no other request that waits is known to be about the same thing. */
  @ApiProperty({ type: SameThing, nullable: true })
  sameThing: SameThing | null;

  /** null when it is not offered, or when the agent or the service was deleted. */
  @ApiProperty({ type: AllowSimilar, nullable: true })
  allowSimilar: AllowSimilar | null;

  /** Why `allowSimilar` is not offered. Missing when it is offered, or when the agent or the service was deleted. */
  @ApiPropertyOptional({ enum: ALLOW_SIMILAR_WITHHELD })
  allowSimilarWithheld?: AllowSimilarWithheld;

  /** Names of the headers that the gateway would inject. Their values are not shown. */
  @ApiProperty({ type: [String] })
  injectedHeaders: string[];
}

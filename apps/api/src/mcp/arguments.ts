import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { ToolArguments } from './tools/tool.js';

/** The subset of JSON Schema that the tools need, one level deep. */
interface Property {
  type?: 'string' | 'integer' | 'object';
  enum?: readonly string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/**
 * The faults in the arguments of a call, in sentences that a language model can act on. A schema validator names
 * neither the allowed values nor the unknown argument.
 */
export function argumentFaults({ inputSchema }: Tool, given: ToolArguments): string[] {
  const properties = (inputSchema.properties ?? {}) as Record<string, Property>;
  const names = Object.keys(properties);
  const missing = (inputSchema.required ?? [])
    .filter((name) => given[name] === undefined)
    .map((name) => `${name}: is required`);
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => `${name.slice(0, 64)}: is not an argument of this tool; it takes ${names.join(', ') || 'none'}`);
  const wrong = names.flatMap((name) => {
    const fault = given[name] === undefined ? null : argumentFault(properties[name], given[name]);
    return fault === null ? [] : [`${name}: ${fault}`];
  });
  return [...missing, ...unknown, ...wrong];
}

function argumentFault(property: Property, value: unknown): string | null {
  switch (property.type) {
    case 'string':
      return textFault(property, value);
    case 'integer':
      return numberFault(property, value);
    case 'object':
      return isTextMap(value) ? null : 'must be an object whose values are strings';
    default:
      throw new Error(`no rule for arguments of type ${property.type}`);
  }
}

function textFault({ enum: allowed, minLength = 0, maxLength = Infinity }: Property, value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (allowed && !allowed.includes(value)) return `must be one of ${allowed.join(', ')}`;
  if (value.length < minLength) return `must have at least ${minLength} characters`;
  return value.length > maxLength ? `must have at most ${maxLength} characters` : null;
}

function numberFault({ minimum = -Infinity, maximum = Infinity }: Property, value: unknown): string | null {
  const inRange = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return inRange ? null : `must be an integer from ${minimum} to ${maximum}`;
}

function isTextMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === 'string');
}

import type { Service, TestServiceResult } from '#contracts';
import { useStore } from '@nanostores/react';
import { map } from 'nanostores';

/**
 * The base URLs that did not answer when their services were tested last, by the id of the service. The gateway remembers
 * rejections only, so this ends when the page is loaded again.
 */
const unreached = map<Record<number, string | undefined>>({});

export function rememberTest({ id, baseUrl }: Pick<Service, 'id' | 'baseUrl'>, result: TestServiceResult): void {
  const isUnreached = result.status === null && result.reason !== null && !result.clientSecret;
  unreached.setKey(id, isUnreached ? baseUrl : undefined);
}

/** Whether the latest test of a service in this page did not reach its API. */
export const useUnreached = ({ id, baseUrl }: Pick<Service, 'id' | 'baseUrl'>): boolean =>
  useStore(unreached)[id] === baseUrl;

import type { EgressConfig } from '../platform/config.js';

/** What decides whether the owner of a service may use private targets. */
export interface ServiceOwner {
  /** Whether it is the first account of the installation. */
  isFirst: boolean;
  /** In lower case. */
  email: string;
}

/**
 * Whether an account may use, and see, the operator's list of private targets. Strangers may register accounts, and the
 * list is not for them. Only this function decides it.
 * See docs/reference/egress.md#private-targets.
 */
export function mayUsePrivateTargets(owner: ServiceOwner, config: EgressConfig): boolean {
  return config.privateTargetAccess === 'all' || owner.isFirst || owner.email === config.adminEmail;
}

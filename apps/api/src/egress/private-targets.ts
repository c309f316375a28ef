import type { EgressConfig } from '../platform/config.js';

/** The account that a service belongs to, as far as it decides about private targets. */
export interface ServiceOwner {
  /** Whether it is the first account of the installation. */
  isFirst: boolean;
  /** In lower case. */
  email: string;
}

/**
 * Whether an account may use, and see, the operator's list of private targets. Strangers may have registered: what the
 * operator listed for themselves is not theirs. Decided here and nowhere else. See
 * docs/reference/egress.md#private-targets.
 */
export function mayUsePrivateTargets(owner: ServiceOwner, config: EgressConfig): boolean {
  return config.privateTargetAccess === 'all' || owner.isFirst || owner.email === config.adminEmail;
}

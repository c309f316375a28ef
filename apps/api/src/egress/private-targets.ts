import type { EgressConfig } from '../platform/config.js';

/** The facts that decide whether the workspace of a service may use private targets. */
export interface ServiceOwner {
  /**
   * The decision of an installation administrator. The workspace that the first account gets is allowed from the start.
   * Null: nobody has decided.
   */
  allowed: boolean | null;
  /** The e-mail of the account that made the workspace, in lower case; null: the account is gone. */
  creator: string | null;
}

/**
 * Whether a workspace may use, and see, the operator's list of private targets. Strangers may register accounts, and
 * the list is not for them. Only this function decides it. See docs/reference/egress.md#private-targets.
 */
export function mayUsePrivateTargets(owner: ServiceOwner, config: EgressConfig): boolean {
  if (config.privateTargetAccess === 'all') return true;
  return owner.allowed ?? (owner.creator !== null && owner.creator === config.adminEmail);
}

import type { ServiceRule } from '../service-view/service-view.js';

/**
 * Whether a rule may need the body or the headers of a request, which are kept of held requests only. Each condition
 * counts.
 */
export const readsContent = ({ when }: Pick<ServiceRule, 'when'>): boolean => when !== '';

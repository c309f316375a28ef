import type { Rejections, ServiceUsage } from '#contracts';

/** The share of rejections must be more than this many times the share before. A smaller rise can be chance. */
const RISE = 2;

/** The counts, if the API rejects clearly more requests than before the credentials were replaced. Otherwise null. */
export function risenRejections(usage: ServiceUsage | undefined): Rejections | null {
  const rejections = usage?.rejections;
  if (!rejections || rejections.after.rejected === 0) return null;
  const { before, after } = rejections;
  const share = ({ rejected, answers }: Rejections['before']): number => (answers === 0 ? 0 : rejected / answers);
  return share(after) > RISE * share(before) ? rejections : null;
}

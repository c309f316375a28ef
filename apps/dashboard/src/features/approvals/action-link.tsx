import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { UntrustedText } from '../../components/untrusted-text.js';
import { summaryQuery } from './api.js';

/** A link to another action, with its headline. */
export function ActionLink({ id }: { id: string }) {
  const { data } = useQuery(summaryQuery(id));
  return <Link to={`/approvals/${id}`}>{data ? <UntrustedText text={data.headline} inline /> : id.slice(0, 8)}</Link>;
}

import type { CreateServiceRequest, Service, ServiceDocument, RiskRule } from '#contracts';
import { failure, post } from './http.js';

/** Which requests need approval whatever their score (docs/reference/risk.md#presets). */
export type AskPreset = 'score' | 'delete' | 'write';

export interface NewService {
  service: CreateServiceRequest;
  ask: AskPreset;
  /** An OpenAPI document, or null. */
  openapi: string | null;
}

/** The created service, and the parts that could not be added. */
export interface CreatedService {
  service: Service;
  problems: string[];
}

const RULES: Record<Exclude<AskPreset, 'score'>, object> = {
  delete: { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] },
  write: { name: 'Ask before every write', effect: 'require_approval', methods: ['POST', 'PUT', 'PATCH', 'DELETE'] },
};

export async function createService({ service: request, ask, openapi }: NewService): Promise<CreatedService> {
  const service = await post<Service>('/services', request);
  const problems: string[] = [];
  const add = (work: Promise<unknown>) => work.catch((error: unknown) => problems.push(failure(error).message));
  if (ask !== 'score') await add(post<RiskRule>(`/services/${service.id}/risk-rules`, RULES[ask]));
  if (openapi) {
    const document = { type: 'openapi', title: `${service.name} OpenAPI`, content: openapi };
    await add(post<ServiceDocument>(`/services/${service.id}/documentation`, document));
  }
  return { service, problems };
}

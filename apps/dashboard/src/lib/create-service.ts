import type { CatalogueRule } from '#catalogue';
import type { CreateServiceRequest, DocumentSummary, RiskRule, Service } from '#contracts';
import type { RulePreset } from '#contracts/rule-presets';
import { createServiceMessages } from './create-service-messages.js';
import { failure, post } from './http.js';

export interface NewService {
  service: CreateServiceRequest;
  rules: readonly (RulePreset['rules'][number] | CatalogueRule)[];
  /** An OpenAPI document, or null. Without a title it has that of the service. */
  openapi: { title?: string; content: string } | null;
  /** A GET that shows whether the credentials are valid, or null. */
  testPath: string | null;
}

/** The created service, and the parts that could not be added. */
interface CreatedService {
  service: Service;
  problems: string[];
}

export async function createService({ service: request, rules, openapi }: NewService): Promise<CreatedService> {
  const service = await post<Service>('/services', request);
  const problems: string[] = [];
  const add = (work: Promise<unknown>) => work.catch((error: unknown) => problems.push(failure(error).message));
  for (const rule of rules) await add(post<RiskRule>(`/services/${service.id}/risk-rules`, rule));
  if (openapi) {
    const document = { type: 'openapi', title: `${service.name} OpenAPI`, ...openapi };
    const stored = post<DocumentSummary>(`/services/${service.id}/documentation`, document);
    await add(
      stored.then(({ ignoredCount }) => ignoredCount && problems.push(createServiceMessages.ignored(ignoredCount))),
    );
  }
  return { service, problems };
}

import type { DocumentSummary } from '#contracts';
import { OperationIndex } from '../../src/documentation/operation-index.js';
import type { ServiceView } from '../../src/service-view/service-view.js';
import { ServiceRegistry } from '../../src/services/service-registry.js';
import { createDocument } from './resources.js';
import type { TestApp } from './start-app.js';

export const openapi = (paths: object, fields: object = {}) => JSON.stringify({ openapi: '3.1.0', ...fields, paths });

/** Documents of the services of the first account. @param started what the tests start before the first call */
export function openApiDocuments(started: () => { app: TestApp; token: string }) {
  const addOpenApi = (serviceId: number, content: string): Promise<DocumentSummary> => {
    const { app, token } = started();
    return createDocument(app, token, serviceId, { type: 'openapi', title: 'API', content });
  };
  const view = (id: number): Promise<ServiceView> =>
    started().app.app.get(ServiceRegistry, { strict: false }).view(1, id);
  /** The summary of the operation that the request matches. */
  const match = async (id: number, method: string, url: string): Promise<string | null> =>
    (
      await started()
        .app.app.get(OperationIndex, { strict: false })
        .match(await view(id), method, url)
    )?.summary ?? null;
  return { addOpenApi, view, match };
}

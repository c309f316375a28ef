import fc from 'fast-check';
import { fit, parseTemplate, pathSegments } from '../request-reading/path-template.js';
import { TemplateIndex } from './template-index.js';

const segment = fc.constantFrom('a', 'b', '{x}', 'v{x}');
const template = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.boolean(), fc.array(segment, { maxLength: 2 }))
  .map(([before, spans, after]) => `/${[...before, ...(spans ? ['{p+}'] : []), ...after].join('/')}`);
const path = fc.array(fc.constantFrom('a', 'b', 'c', 'v1'), { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);

describe('TemplateIndex', () => {
  it('finds every template that fits, of the same method', () => {
    fc.assert(
      fc.property(fc.array(template), path, (paths, target) => {
        const index = new TemplateIndex();
        const templates = paths.map((each, operationId) => ({ ...parseTemplate({ path: each }), operationId }));
        for (const each of templates) index.add('GET', each);
        const fits = (list: Iterable<(typeof templates)[0]>) =>
          [...list]
            .filter((each) => fit(each, pathSegments(target), new URLSearchParams()))
            .map(({ operationId }) => operationId)
            .sort((one, other) => one - other);
        expect(fits(index.candidates('GET', pathSegments(target)))).toEqual(fits(templates));
        expect([...index.candidates('PUT', pathSegments(target))]).toEqual([]);
      }),
    );
  });

  it('looks only at templates with the literals of the path', () => {
    const index = new TemplateIndex();
    for (let id = 0; id < 45_000; id++)
      index.add('GET', { ...parseTemplate({ path: `/v1/things${id}/{id}` }), operationId: id });
    expect([...index.candidates('GET', ['v1', 'things7', '1'])].map(({ operationId }) => operationId)).toEqual([7]);
  });
});

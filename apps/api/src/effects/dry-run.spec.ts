import { effects, type Given } from '../../test/support/classified.js';

describe('only a documented dry run changes nothing', () => {
  const operation = { path: '/volumes/{id}', method: 'DELETE', summary: 'Delete a volume' };

  it('a documented one is a read', () => {
    expect(
      effects('DELETE /volumes/7?dry_run=true', { operation: { ...operation, queryParameters: ['dry_run'] } }),
    ).toBe('read');
  });

  it.each(['?dry_run=true', '?dry_run=false', '?dry_run=true&dry_run=false', '?Dry-Run=true'])(
    '%s is none',
    (query) => {
      const documented = query === '?dry_run=true' ? [] : ['dry_run'];
      expect(
        effects(`DELETE /volumes/7${query}`, { operation: { ...operation, queryParameters: documented } }),
      ).toContain('delete');
    },
  );
});

describe('a dry run in doubt is none', () => {
  const volume = { path: '/volumes/{id}', summary: 'Delete a volume' };
  const inQuery = { ...volume, queryParameters: ['dryRun'] };
  const inBody = { ...volume, fields: ['dryRun', 'x', 'preview', 'test', 'dry_run'] };
  const FORM = 'application/x-www-form-urlencoded';

  it('one that is plain is a dry run', () => {
    expect(effects('DELETE /volumes/7', { operation: inBody, body: { dryRun: true } })).toBe('read');
    expect(effects('DELETE /volumes/7', { operation: inBody, body: 'dryRun=true', type: FORM })).toBe('read');
    expect(effects('DELETE /volumes/7?dryRun=true', { operation: inQuery, body: { force: true } })).toBe('read');
    expect(effects('DELETE /volumes/7?dryRun=All', { operation: inQuery })).toBe('read');
  });

  it.each<[string, Given]>([
    ['', { operation: inQuery, body: { dryRun: true } }],
    ['?dryRun=true', { operation: inBody }],
    ['?dryRun=true', { operation: inQuery, body: { dryRun: false } }],
    ['', { operation: inBody, body: '{"dryRun":true,"dry\\u0052un":false}' }],
    ['', { operation: inBody, body: '{"dryRun":true,"dryrun":false}' }],
    ['', { operation: inBody, body: { dryRun: true, dry_run: false } }],
    ['', { operation: inBody, body: '{"x":{"dryRun":true},"a":1,"a":2}' }],
    ['', { operation: inBody, body: { x: { dryRun: true } } }],
    ['', { operation: inBody, body: [{ dryRun: true }] }],
    ['', { operation: inBody, body: { preview: true, test: true } }],
    ['', { operation: inBody, body: 'dryRun=true&dryRun[]=false', type: FORM }],
    ['', { operation: inBody, body: 'dryRun=true&dry.run=false', type: FORM }],
    ['?dryRun=true&DRYRUN=false', { operation: inQuery }],
    ['?dryRun=true&a=1;dryRun=false', { operation: inQuery }],
    ['?dryRun=true&_method=PUT', { operation: inQuery }],
    ['?dryRun=true', { operation: inQuery, body: '{"a":1,"a":2}' }],
    ['?dryRun=yes', { operation: inQuery }],
  ])('%s %j', (query, given) => {
    expect(effects(`DELETE /volumes/7${query}`, given)).toContain('delete');
  });
});

import { singular } from './singular.js';

describe('singular', () => {
  it.each([
    ['customers', 'customer'],
    ['companies', 'company'],
    ['addresses', 'address'],
    ['statuses', 'status'],
    ['boxes', 'box'],
    ['branches', 'branch'],
    ['releases', 'release'],
    ['caches', 'cache'],
    ['houses', 'house'],
    ['movies', 'movie'],
    ['status', 'status'],
    ['news', 'news'],
    ['Users', 'User'],
    ['s3', 's3'],
  ])('%s: %s', (many, one) => {
    expect(singular(many)).toBe(one);
  });
});

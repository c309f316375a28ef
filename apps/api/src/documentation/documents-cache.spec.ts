import { DocumentsCache } from './documents-cache.js';

function makeCache(operationsMax: number, size = 4) {
  const loaded: number[] = [];
  const load = async (id: number) => {
    loaded.push(id);
    if (loaded.length === 1 && size === -1) throw new Error('the database is unavailable');
    return { size };
  };
  const cache = new DocumentsCache(load, operationsMax);
  return { loaded, get: (id: number, documentsVersion = '1') => cache.get({ id, documentsVersion }) };
}

describe('DocumentsCache', () => {
  it('loads each version of the documents once, even for two calls at the same time', async () => {
    const { loaded, get } = makeCache(100);
    await Promise.all([get(1), get(1)]);
    await get(1);
    expect(loaded).toEqual([1]);
    await get(1, '2');
    expect(loaded).toEqual([1, 1]);
  });

  it('drops the least recently used entries, and no more than needed', async () => {
    const { loaded, get } = makeCache(12);
    for (const id of [1, 2, 3, 1, 4]) await get(id);
    expect(loaded).toEqual([1, 2, 3, 4]);
    for (const id of [1, 3, 4]) await get(id);
    expect(loaded).toEqual([1, 2, 3, 4]);
    await get(2);
    expect(loaded).toEqual([1, 2, 3, 4, 2]);
  });

  it('keeps the entry in use even if it exceeds the limit', async () => {
    const { loaded, get } = makeCache(3);
    await get(1);
    await get(1);
    expect(loaded).toEqual([1]);
  });

  it('loads again after a failure', async () => {
    const { loaded, get } = makeCache(100, -1);
    await expect(get(1)).rejects.toThrow('the database is unavailable');
    await expect(get(1)).resolves.toEqual({ size: -1 });
    expect(loaded).toEqual([1, 1]);
  });
});

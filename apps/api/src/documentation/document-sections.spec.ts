import { atOnce } from '../platform/short-steps.js';
import {
  relevantSections as stepwise,
  sectionsAbout as sectionsStepwise,
  type ProseDocument,
} from './document-sections.js';

const relevantSections = (documents: ProseDocument[], terms: string[], budget: number) =>
  atOnce(stepwise(documents, terms, budget));
const sectionsAbout = (documents: ProseDocument[], terms: string[], budget: number) =>
  atOnce(sectionsStepwise(documents, terms, budget));

const guide = {
  title: 'Guide',
  content: '# Intro\nWelcome.\n# Customers\nUse /customers to list.\n# Orders\nSee /orders.',
};

describe('relevantSections', () => {
  it('returns the sections that mention the path, those with the strongest term first', () => {
    const text = relevantSections([guide], ['/orders', '/customers'], 1_000);
    expect(text).toBe('[Guide]\n# Orders\nSee /orders.\n\n[Guide]\n# Customers\nUse /customers to list.');
  });

  it('uses paragraphs if there are no headings', () => {
    const notes = { title: 'Notes', content: 'First things.\n\nDELETE /orders is final.\n\nLast.' };
    expect(relevantSections([notes], ['/orders'], 1_000)).toBe('[Notes]\nDELETE /orders is final.');
  });

  it('returns the start of the document if no section mentions a term', () => {
    expect(relevantSections([guide], ['/refunds', ''], 25)).toBe('[Guide]\n# Intro\nWelcome.\n');
  });

  it('stays within the budget and splits no characters', () => {
    const emoji = { title: 't', content: '😀'.repeat(100) };
    for (let budget = 0; budget < 30; budget++) {
      const text = relevantSections([emoji, guide], [], budget);
      expect(text.length).toBeLessThanOrEqual(budget);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it('is empty without documents', () => {
    expect(relevantSections([], ['/x'], 100)).toBe('');
  });

  it('finds a term wherever it is in a long section', () => {
    for (let at = 3_990; at < 4_010; at++) {
      const content = `${'.'.repeat(at)}/orders${'.'.repeat(5_000)}`;
      expect(sectionsAbout([{ title: 'Long', content }], ['/refunds', '/orders'], 20)).toBe('[Long]\n.............');
    }
  });

  it('searches a long section in steps', () => {
    const content = 'GET https://api.example.com/v1/customers/{id}/orders '.repeat(4_000);
    const terms = ['/refunds', '/payouts', '/disputes'];
    let steps = 0;
    for (const search = stepwise([{ title: 'Long', content }], terms, 100); !search.next().done;) steps += 1;
    const charsPerStep = (content.length * terms.length) / steps;
    expect(charsPerStep).toBeLessThan(60_000);
  });
});
